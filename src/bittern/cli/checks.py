"""Checks that need no slow import: a wrong file or option is reported at once."""

from collections.abc import Sequence
from pathlib import Path

from bittern.cli.groups import FileArguments, TimedFileArguments
from bittern.errors import InputError

INFERENCE_METHODS = ("informative", "words", "biterms", "mix")
EXPLANATIONS = INFERENCE_METHODS[:3]
DUPLICATES = ("keep", "once")
PERIODS = ("hour", "day", "week", "month", "quarter", "year", "auto")


def check_inputs(
    files: Sequence[str],
    reading: FileArguments,
    model: Path | None = None,
    **columns: str | None,
) -> None:
    """Check that a model and files exist, and that the first file has the columns.

    The columns are given by what they are: text, time and label; None is the default column.
    """
    from bittern.corpus.paths import expand_paths
    from bittern.corpus.remote import is_served
    from bittern.corpus.sources import detect_format, is_stream

    if model is not None:
        check_model(model)
    if isinstance(reading, TimedFileArguments) and reading.time_format is not None:
        from bittern.corpus.times import check_time_format

        check_time_format(reading.time_format)
        if columns.get("time") is None:
            raise InputError("--time-format has no effect without --time; give both")
    paths = expand_paths(tuple(files))
    options = reading.file_options()
    compressions = [detect_format(path, options)[1] for path in paths]
    if is_stream(paths[0]) or is_served(paths[0]) or compressions[0]:
        return
    from bittern.corpus.rows import check_columns

    given = {name: column for name, column in columns.items() if column is not None}
    check_columns(paths[0], {"text": columns.get("text")} | given, options)


def check_model(path: Path) -> None:
    """Check that there is something where a model should be."""
    from bittern._core.atomic import replaced_name

    if not path.exists() and not replaced_name(path).exists():
        raise InputError(f"model {path} not found")


def check_outputs(*paths: Path | None) -> None:
    """Check that the directories of files to be written exist and can be written to."""
    from bittern._core.atomic import check_directory

    for path in paths:
        if path is not None:
            check_directory(path)


def check_page_name(path: Path) -> None:
    """Check the name of a report."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{path}: a report is an HTML page; use a name that ends in .html")


def check_choice(option: str, value: str, choices: Sequence[str]) -> None:
    """Check that an option has one of its values."""
    if value not in choices:
        raise InputError(f'unknown value for {option}: "{value}"; choose from {", ".join(choices)}')


def check_period(period: str) -> None:
    """Check the length or the number of periods."""
    if not period.lstrip("+-").isdecimal():
        check_choice("--period", period, [*PERIODS, "a number"])
