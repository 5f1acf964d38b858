"""The tokenizers of saved models: functions are named in a model, never saved or imported."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NoReturn

from bittern._core.untrusted import one_line
from bittern.errors import InputError

Tokenizer = Callable[[str], Iterable[str]]


@dataclass(frozen=True)
class MissingTokenizer:
    """Takes the place of the tokenizer of a saved model until the user names it again."""

    name: str

    def __call__(self, text: str) -> NoReturn:
        """Fail, because the function is not known."""
        raise InputError(
            f"the model was trained with the tokenizer {one_line(self.name)}, which is not saved "
            "with it; name it again: bittern.load(path, tokenizer=...), or --tokenizer "
            "MODULE:FUNCTION on the command line"
        )


def tokenizer_name(tokenizer: Tokenizer) -> str:
    """Return the module and the name of a tokenizer, such as "my_words:lemmas"."""
    if isinstance(tokenizer, MissingTokenizer):
        return tokenizer.name
    module = getattr(tokenizer, "__module__", None)
    name = getattr(tokenizer, "__qualname__", None)
    if not isinstance(name, str):
        return type(tokenizer).__qualname__
    return f"{module}:{name}" if isinstance(module, str) else name
