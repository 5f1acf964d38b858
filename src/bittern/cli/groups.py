"""Groups of options that several commands share, as a single parameter of each command."""

import inspect
from collections.abc import Callable
from copy import copy
from dataclasses import Field, asdict, dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args

import typer

from bittern.cli.options import (
    Encoding,
    Format,
    Language,
    Lemmas,
    MaxDf,
    MinDf,
    Segment,
    Separator,
    Sheet,
    StopWords,
    TimeFormat,
    Tokenizer,
)
from bittern.cli.parsing import parse_list, parse_number, parse_stop_words
from bittern.cli.tokenizers import import_tokenizer

if TYPE_CHECKING:
    from bittern.corpus.formats import FileOptions


@dataclass(frozen=True)
class OptionGroup:
    """Base class: the fields of a group are annotated as options of a command."""

    panel: ClassVar[str]
    """Title of the options in the help."""


@dataclass(frozen=True)
class FileArguments(OptionGroup):
    """How to read the input files."""

    panel = "Reading files"

    format: Format = None
    separator: Separator = None
    encoding: Encoding = None
    sheet: Sheet = None

    def as_keywords(self) -> dict[str, Any]:
        """Return the arguments of `bittern.read`."""
        return asdict(self)

    def file_options(self) -> "FileOptions":
        """Return what the user has set about the files."""
        from bittern.corpus.formats import FileOptions

        return FileOptions(self.format, self.separator, self.encoding, self.sheet)


@dataclass(frozen=True)
class TimedFileArguments(FileArguments):
    """How to read input files whose texts have times."""

    time_format: TimeFormat = None


@dataclass(frozen=True)
class TextArguments(OptionGroup):
    """How to split texts into words, and which words to keep."""

    panel = "Words"

    stop_words: StopWords = "english"
    numbers: Annotated[bool, typer.Option("--numbers", help="Keep numbers as words.")] = False
    letters: Annotated[bool, typer.Option("--letters", help="Keep single letters as words.")] = (
        False
    )
    hashtags: Annotated[
        Literal["keep", "split"],
        typer.Option(help='Keep hashtags, or split "#ClimateChange" into "climate" and "change".'),
    ] = "keep"
    emoji: Annotated[bool, typer.Option("--emoji", help="Keep emoji as words.")] = False
    phrases: Annotated[
        bool,
        typer.Option(
            "--phrases",
            help='Find phrases such as "new york", and join their words: "new_york".',
        ),
    ] = False
    min_df: MinDf = "auto"
    max_df: MaxDf = "1.0"
    max_features: Annotated[
        int | None, typer.Option(help="Keep only this many of the most frequent words.")
    ] = None
    ngrams: Annotated[
        int,
        typer.Option(
            help="Maximum length of n-grams; 2 also treats pairs of adjacent words, such as "
            '"new york", as words.'
        ),
    ] = 1
    language: Language = None
    segment: Segment = None
    lemmas: Lemmas = None
    tokenizer: Tokenizer = None

    def as_keywords(self) -> dict[str, Any]:
        """Return the arguments of `bittern.text.TextOptions`."""
        return asdict(self) | {
            "stop_words": parse_stop_words(self.stop_words),
            "lemmas": parse_list(self.lemmas),
            "min_df": parse_number(self.min_df),
            "max_df": parse_number(self.max_df),
            "tokenizer": import_tokenizer(self.tokenizer),
        }


def expand_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the options of its groups instead of the groups."""
    own, grouped = [], []
    groups: dict[str, type[OptionGroup]] = {}
    for parameter in inspect.signature(command).parameters.values():
        kind = parameter.annotation
        if isinstance(kind, type) and issubclass(kind, OptionGroup):
            groups[parameter.name] = kind
            grouped += [_option(kind.panel, field) for field in fields(kind)]
        else:
            own.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))

    @wraps(command)
    def expanded(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        command(**values)

    signature = inspect.Signature([*own, *grouped])
    expanded.__signature__ = signature  # type: ignore[attr-defined]
    expanded.__annotations__ = {
        parameter.name: parameter.annotation for parameter in signature.parameters.values()
    }
    return expanded


def _option(panel: str, field: "Field[Any]") -> inspect.Parameter:
    """Describe an option of a group as the parameter of a function."""
    kind, option = get_args(field.type)
    option = copy(option)
    option.rich_help_panel = panel
    return inspect.Parameter(
        field.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=field.default,
        annotation=Annotated[kind, option],
    )
