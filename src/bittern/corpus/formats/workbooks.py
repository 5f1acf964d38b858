"""Workbooks of Excel and other spreadsheets, of which one sheet is read."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bittern.corpus.formats.contract import FileOptions, Format, Scannable
from bittern.corpus.formats.dialect import MAX_RECORDS, check_header, clean_names
from bittern.corpus.formats.xlsx import sink_xlsx
from bittern.errors import InputError

if TYPE_CHECKING:
    import polars as pl

MIDNIGHT = " 00:00:00"
MAX_SHEETS = 20  # whose names are listed


def _scan(_: Scannable) -> "pl.LazyFrame":
    """Workbooks are scanned by the format that `_adapt` returns."""
    raise NotImplementedError


def _adapt(source: Scannable, _: Sequence[str], options: FileOptions) -> Format:
    """Return the format of one workbook, whose sheet it has read."""
    if find_spec("fastexcel") is None:
        raise InputError('reading workbooks requires fastexcel; run: pip install "bittern[excel]"')
    import fastexcel

    try:
        cells = _read_cells(fastexcel.read_excel(_read_bytes(source)), options.sheet)
    except fastexcel.FastExcelError as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"not a workbook that can be read ({reason}); save it as xlsx without a password"
        ) from None
    n_before, table = _split_header(cells)

    def scan(_: Scannable) -> "pl.LazyFrame":
        return table.lazy()

    def check_columns() -> str | None:
        header = [value or "" for value in cells.row(n_before - 1)]
        rows = [[value or "" for value in row] for row in table.head(MAX_RECORDS).iter_rows()]
        return check_header(header, rows)

    def find_line(_: Iterator[str], row: int) -> int:
        return n_before + row + 1

    return replace(XLSX, scan=scan, check_columns=check_columns, find_line=find_line)


def _read_bytes(source: Scannable) -> bytes:
    return Path(source).read_bytes() if isinstance(source, str) else source.getvalue()


def _read_cells(reader: Any, name: str | None) -> "pl.DataFrame":
    """Return the cells of a sheet as strings; by default, of the first one with a table."""
    if name is not None:
        return _read_sheet(reader, _find_sheet(reader.sheet_names, name))
    for known in reader.sheet_names:
        cells = _read_sheet(reader, known, is_hidden_read=False)
        if cells.height > 1:
            return cells
    raise InputError(
        "no sheet has a row with column names and rows below it; "
        f"sheets that are not hidden: {_list_sheets(reader.sheet_names)}"
    )


def _find_sheet(names: list[str], name: str) -> str:
    """Return the name of a sheet as it is written in the workbook."""
    by_key = {known.casefold().strip(): known for known in reversed(names)}
    known = name if name in names else by_key.get(name.casefold().strip())
    if known is None:
        raise InputError(f'there is no sheet "{name}"; available sheets: {_list_sheets(names)}')
    return known


def _list_sheets(names: list[str]) -> str:
    n_more = len(names) - MAX_SHEETS
    return ", ".join(names[:MAX_SHEETS]) + (f" and {n_more} more" if n_more > 0 else "")


def _read_sheet(reader: Any, name: str, is_hidden_read: bool = True) -> "pl.DataFrame":
    """Return the cells of a sheet, from its first row to the last one that is not empty."""
    import polars as pl

    sheet = reader.load_sheet(name, header_row=None, skip_rows=0, dtypes="string")
    if sheet.width == 0 or not (is_hidden_read or sheet.visible == "visible"):
        return pl.DataFrame()
    cells = pl.DataFrame(sheet)
    used = cells.select(pl.any_horizontal(pl.all().is_not_null())).to_series().arg_true()
    return cells.head(used[-1] + 1 if len(used) else 0)


def _split_header(cells: "pl.DataFrame") -> "tuple[int, pl.DataFrame]":
    """Return the number of rows up to the column names, and the rows below as a table.

    Columns without names and values are left out.
    """
    import polars as pl

    if cells.is_empty():
        raise InputError("the sheet is empty")
    used = cells.select(pl.any_horizontal(pl.all().is_not_null())).to_series()
    header = int(used.arg_max() or 0)
    names = cells.row(header)
    table = cells[header + 1 :]
    columns = [
        _without_midnight(column).alias(name)
        for name, given, column in zip(
            clean_names([name or "" for name in names]), names, table, strict=True
        )
        if given is not None or column.null_count() < table.height
    ]
    return header + 1, pl.DataFrame(columns)


def _without_midnight(column: "pl.Series") -> "pl.Series":
    """Return a column of dates without their time, as the cells show them."""
    if column.null_count() < len(column) and column.str.ends_with(MIDNIGHT).all():
        return column.str.strip_suffix(MIDNIGHT)
    return column


XLSX = Format(
    "xlsx",
    (".xlsx",),
    _scan,
    sink_xlsx,
    adapt=_adapt,
    has_sheets=True,
    is_text=False,
    line_name="row {} of the sheet",
)
XLS = replace(XLSX, name="xls", suffixes=(".xls", ".xlsm", ".xlsb"), sink=None)
ODS = replace(XLSX, name="ods", suffixes=(".ods",), sink=None)
