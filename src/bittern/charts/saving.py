"""Charts as files."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from bittern._core.atomic import atomic_path, check_directory
from bittern.charts.page import chart_page
from bittern.charts.style import check_installed
from bittern.errors import InputError

if TYPE_CHECKING:
    import altair as alt

Format = Literal["svg", "png", "html"]

FORMATS: tuple[Format, ...] = get_args(Format)
PNG_SCALE = 2  # pixels per pixel of the chart: sharp on modern screens


def check_chart(path: str | Path) -> Format:
    """Check that a chart can be saved under this name, before any work is done.

    Parameters
    ----------
    path : str or Path
        File name.

    Returns
    -------
    str
        The format: "svg", "png" or "html".

    Raises
    ------
    InputError
        If the format is not supported, or a package is missing.

    Examples
    --------
    >>> from bittern.charts import check_chart
    >>> check_chart("topics.svg")
    'svg'
    """
    check_installed()
    extension = Path(path).suffix.lstrip(".").lower()
    if extension not in FORMATS:
        raise InputError(f"cannot save a chart as {path}; use .{', .'.join(FORMATS)}")
    check_directory(Path(path))
    return extension


def save_chart(chart: "alt.TopLevelMixin", path: str | Path) -> None:
    """Save a chart as SVG, PNG, or an HTML page that needs no network.

    Parameters
    ----------
    chart : altair chart
        The chart.
    path : str or Path
        File name; the extension decides the format.

    Raises
    ------
    InputError
        If the format is not supported, or a package is missing.

    Examples
    --------
    >>> import bittern
    >>> from bittern.charts import save_chart, words_chart
    >>> model = bittern.BTM(2, random_state=0).fit(["cats purr", "dogs bark"] * 20)
    >>> save_chart(words_chart(model), "words.svg")
    """
    kind = check_chart(path)
    with atomic_path(path) as temporary:
        if kind == "html":
            temporary.write_text(chart_page(chart), "utf-8")
        else:
            chart.save(str(temporary), format=kind, scale_factor=PNG_SCALE)
