"""Excel workbooks, in which tables are written but not read."""

from importlib.util import find_spec
from typing import TYPE_CHECKING, BinaryIO

from bittern.errors import InputError

if TYPE_CHECKING:
    import polars as pl

SUFFIX = ".xlsx"
MAX_ROWS = 1_048_575  # of a sheet, without the header
MAX_CHARACTERS = 32_767  # of a cell
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
    cells = table.with_columns(pl.col(pl.String).str.head(MAX_CHARACTERS))
    with xlsxwriter.Workbook(file, OPTIONS) as workbook:
        cells.write_excel(workbook, freeze_panes=(1, 0))
