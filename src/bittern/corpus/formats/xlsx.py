"""Excel workbooks that are written; `workbooks` reads them."""

from importlib.util import find_spec
from typing import TYPE_CHECKING, BinaryIO

from bittern.errors import InputError

if TYPE_CHECKING:
    import polars as pl

MAX_ROWS = 1_048_575  # of a sheet, without the header
MAX_CHARACTERS = 32_767  # of a cell
NUMBER = r"^-?(0|[1-9][0-9]{0,14})(\.[0-9]+)?$"  # Excel keeps 15 digits
DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
OPTIONS = {  # texts are written as they are
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "nan_inf_to_errors": True,
}


def check_installed() -> None:
    """Raise InputError if the package that writes workbooks is missing."""
    if find_spec("xlsxwriter") is None:
        raise InputError(
            'writing .xlsx files requires xlsxwriter; run: pip install "bittern[excel]"'
        )


def sink_xlsx(rows: "pl.LazyFrame", file: BinaryIO) -> None:
    """Write all rows to one sheet; they are held in memory."""
    import polars as pl
    import xlsxwriter

    table = rows.collect()
    if table.height > MAX_ROWS:
        raise InputError(
            f"an Excel sheet has at most {MAX_ROWS:,} rows, not {table.height:,}; write a csv file"
        )
    cells = [_with_type(column) for column in table]
    with xlsxwriter.Workbook(file, OPTIONS) as workbook:
        pl.DataFrame(cells).write_excel(workbook, freeze_panes=(1, 0))


def _with_type(column: "pl.Series") -> "pl.Series":
    """Return a column of strings as numbers or dates, if all of them are, as Excel would.

    Numbers such as 007, whose zeros would be lost, remain strings.
    """
    import polars as pl

    if column.dtype != pl.String or column.null_count() == len(column):
        return column
    if column.str.contains(NUMBER).all():
        return column.cast(pl.Float64)
    if column.str.contains(DAY).all():
        days = column.str.to_date(strict=False)
        if days.null_count() == column.null_count():  # all of them exist
            return days
    return column.str.head(MAX_CHARACTERS)
