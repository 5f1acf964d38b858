"""File formats: one module per format, and a line for it in the registry `FORMATS`."""

from bittern.corpus.formats.contract import FileOptions, Format, Scannable, Sink
from bittern.corpus.formats.csv import CSV, TSV
from bittern.corpus.formats.jsonl import JSONL
from bittern.corpus.formats.parquet import PARQUET
from bittern.corpus.formats.txt import TXT
from bittern.corpus.formats.workbooks import ODS, XLS, XLSX

__all__ = [
    "FORMATS",
    "FileOptions",
    "Format",
    "Scannable",
    "Sink",
    "format_by_suffix",
    "join_names",
    "table_sinks",
    "table_suffixes",
]

FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        TXT,
        CSV,
        TSV,
        JSONL,
        PARQUET,
        XLSX,
        XLS,
        ODS,
    )
}


def format_by_suffix(suffix: str) -> Format | None:
    """Return the format of files with a suffix such as ".csv"; None if it is unknown."""
    found = (format for format in FORMATS.values() if suffix.lower() in format.suffixes)
    return next(found, None)


def table_sinks() -> dict[str, Sink]:
    """Return the formats in which tables can be written, by name."""
    return {name: format.sink for name, format in FORMATS.items() if format.sink is not None}


def table_suffixes() -> list[str]:
    """Return the usual suffixes of the formats in which tables can be written."""
    return [f".{name}" for name in table_sinks()]


def join_names(names: list[str]) -> str:
    """Return a list of names as it is written in a sentence: "csv, tsv or parquet"."""
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
