"""The report: an HTML page made of a template, data and charts."""

from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from bittern._core.atomic import atomic_path, check_directory
from bittern._core.forks import check_not_forked
from bittern._core.html import render_page, script_json
from bittern._core.validation import check_text
from bittern.charts import check_installed
from bittern.charts.page import vega_library
from bittern.corpus import Corpus
from bittern.errors import InputError
from bittern.fitted import FittedTopics
from bittern.report.chart_specs import chart_specs
from bittern.report.contents import report_contents

if TYPE_CHECKING:
    from markupsafe import Markup

FRAME_HEIGHT = 900  # pixels, in a notebook


class Report:
    """A report page; a notebook displays it.

    Parameters
    ----------
    html : str
        The page.

    Examples
    --------
    >>> from bittern.report import Report
    >>> Report("<p>Topics</p>")
    <Report: 0.0 MB; call save(path), or display it in a notebook>
    """

    def __init__(self, html: str) -> None:
        self.html = html

    def save(self, path: str | Path) -> None:
        """Save the page; a file is written completely or not at all.

        Parameters
        ----------
        path : str or Path
            File name, which ends in .html.

        Raises
        ------
        InputError
            If the file name does not end in .html.
        """
        check_page(path)
        with atomic_path(path) as temporary:
            temporary.write_text(self.html, "utf-8")

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html)}" title="Topic report" width="100%" '
            f'height="{FRAME_HEIGHT}" style="border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        size = len(self.html.encode()) / 1e6
        return f"<Report: {size:.1f} MB; call save(path), or display it in a notebook>"


def check_page(path: str | Path) -> None:
    """Check that a report can be saved under this name, before any work is done.

    Parameters
    ----------
    path : str or Path
        File name.

    Raises
    ------
    InputError
        If the file name does not end in .html, or a package is missing.

    Examples
    --------
    >>> from bittern.report import check_page
    >>> check_page("report.html")
    """
    check_installed()
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{path}: a report is an HTML page; use a name that ends in .html")
    check_directory(Path(path))


def make_report(
    fitted: FittedTopics, corpus: Corpus, title: str, n_threads: int = 1, verbose: int = 0
) -> Report:
    """Make the report of a model and of documents.

    Parameters
    ----------
    fitted : FittedTopics
        A fitted model.
    corpus : Corpus
        Documents over the vocabulary of the model; their times and labels are shown, too.
    title : str
        Title of the page.
    n_threads : int
        Number of threads.
    verbose : int
        Whether to show progress.

    Returns
    -------
    Report
        The page.

    Raises
    ------
    InputError
        If there are no texts, or the model knows none of their words.

    Examples
    --------
    >>> import bittern
    >>> from bittern.report import make_report
    >>> texts = ["cats purr", "dogs bark"] * 20
    >>> model = bittern.BTM(2, random_state=0).fit(texts)
    >>> report = make_report(model.fitted_, bittern.Corpus.from_texts(texts), "Pets")
    """
    check_installed()
    check_not_forked()
    check_text("title", title)
    if len(corpus) == 0:
        raise InputError("no texts to report on; give at least one")
    if len(corpus.tokens) == 0:
        raise InputError(
            "no word of these texts is known to the model; use the training texts, or similar ones"
        )
    contents = report_contents(fitted, corpus, title, n_threads, verbose)
    html = render_page(
        _read_part("page.html"),
        report=contents,
        style=_read_part("page.css"),
        vega=vega_library(),
        script=_read_part("page.js"),
        data=script_json({name: value for name, value in contents.items() if name != "card"}),
        charts=script_json(chart_specs(fitted.n_topics)),
    )
    return Report(html)


def _read_part(name: str) -> "Markup":
    """Read a file of this package that becomes part of the page."""
    from markupsafe import Markup

    return Markup(files("bittern.report").joinpath(name).read_text("utf-8"))
