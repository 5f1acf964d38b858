"""Example corpora: nothing is downloaded."""

from typing import TYPE_CHECKING

from bittern._core.lazy import lazy_attributes

if TYPE_CHECKING:
    from bittern.datasets.passengers import save_survey, survey
    from bittern.datasets.stdlib_docs import docstrings

__all__ = ["docstrings", "save_survey", "survey"]

_MODULES = {
    "docstrings": "stdlib_docs",
    "save_survey": "passengers",
    "survey": "passengers",
}
__getattr__ = lazy_attributes(__name__, _MODULES)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
