"""Example corpora: nothing is downloaded."""

from typing import TYPE_CHECKING

from bittern._core.lazy import lazy_attributes

if TYPE_CHECKING:
    from bittern.datasets.stdlib_docs import docstrings

__all__ = ["docstrings"]

_MODULES = {"docstrings": "stdlib_docs"}
__getattr__ = lazy_attributes(__name__, _MODULES)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
