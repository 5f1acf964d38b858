"""The report: an HTML page made of a template, a style, scripts and data."""

from functools import partial
from html import escape
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from bittern._core.atomic import atomic_path, check_directory
from bittern._core.forks import check_not_forked
from bittern._core.html import render_page, script_json
from bittern._core.validation import check_text
from bittern.corpus import Corpus
from bittern.errors import InputError
from bittern.fitted import FittedTopics
from bittern.report.contents import report_contents
from bittern.report.overview import MAX_LISTED, arrange_topics, more_words
from bittern.report.wording import counted, percent

if TYPE_CHECKING:
    from markupsafe import Markup

FRAME_HEIGHT = 900  # pixels, in a notebook
SCRIPTS = ("base", "map", "timeline", "topic", "search", "table", "main")  # in this order
ONLY_MARKUP = {"title", "created", "card"}  # contents that the scripts do not read


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
    _check_installed()
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
    _check_installed()
    check_not_forked()
    check_text("title", title)
    if len(corpus) == 0:
        raise InputError("no texts to report on; give at least one")
    if len(corpus.tokens) == 0:
        raise InputError(
            "no word of these texts is known to the model; use the training texts, or similar ones"
        )
    from markupsafe import Markup

    contents = report_contents(fitted, corpus, title, n_threads, verbose)
    html = render_page(
        _read_part("page.html"),
        report=contents,
        overview=arrange_topics(contents),
        more_words=partial(more_words, contents),
        counted=counted,
        percent=percent,
        MAX_LISTED=MAX_LISTED,
        style=_read_part("page.css"),
        script=Markup("\n").join(_read_part(f"scripts/{name}.js") for name in SCRIPTS),
        data=script_json({name: contents[name] for name in contents if name not in ONLY_MARKUP}),
    )
    return Report(html)


def _check_installed() -> None:
    """Raise an error with an install hint if pages cannot be made."""
    if find_spec("jinja2") is None:
        raise InputError('reports need jinja2; run: pip install "bittern[report]"')


def _read_part(name: str) -> "Markup":
    """Read a file of this package that becomes part of the page."""
    from markupsafe import Markup

    return Markup(files("bittern.report").joinpath(name).read_text("utf-8"))
