"""A report: one page to look at topics, that needs no network and can be sent to anybody."""

import json
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bittern._core.atomic import atomic_path, check_directory
from bittern.charts.charts import check_installed
from bittern.corpus.corpus import Corpus
from bittern.errors import InputError
from bittern.report.contents import collect
from bittern.report.drawings import drawings

if TYPE_CHECKING:
    from bittern._fitted_mixin import FittedTopics

EXPORT = "window.vegaEmbed = vegaEmbed;"  # what the page's script needs of Vega
FRAME = 900  # pixels, the height in a notebook


class Report:
    """The page; a notebook shows it."""

    def __init__(self, html: str) -> None:
        self.html = html

    def save(self, path: str | Path) -> None:
        """Write the page to a file, whole or not at all."""
        check_page(path)
        with atomic_path(path) as fresh:
            fresh.write_text(self.html, "utf-8")

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html)}" title="topics" width="100%" height="{FRAME}" '
            'style="border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        return (
            f"<Report: {len(self.html.encode()) / 1e6:.1f} MB; save it, or show it in a notebook>"
        )


def check_page(path: str | Path) -> None:
    """Say what is wrong with the place of a page before any work is done."""
    check_installed()
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{path}: a report is written as .html")
    check_directory(Path(path))


def make_report(model: "FittedTopics", corpus: Corpus, title: str) -> Report:
    """The page of a model, and of a corpus in its words."""
    check_installed()
    if len(corpus) == 0:
        raise InputError("there are no texts to report on")
    if len(corpus.tokens) == 0:
        raise InputError(
            "no word of these texts is known to the model: take the texts that it was fitted on, "
            "or others like them"
        )
    from jinja2 import Environment
    from markupsafe import Markup

    def part(name: str) -> Any:
        return Markup(files("bittern.report").joinpath(name).read_text("utf-8"))

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    shown = collect(model, corpus, title)
    html = environment.from_string(part("page.html")).render(
        shown=shown,
        style=part("page.css"),
        vega=_vega(),
        script=part("page.js"),
        data=as_json({name: value for name, value in shown.items() if name != "card"}),
        drawings=as_json(drawings(len(model.theta_))),
    )
    return Report(html)


@cache
def _vega() -> Any:
    """The library that draws, for a script element."""
    import vl_convert
    from markupsafe import Markup

    return Markup(vl_convert.javascript_bundle(EXPORT).replace("</script", "<\\/script"))


def as_json(value: Any) -> Any:
    """JSON for a script element: no text in it can end the element, or begin a comment in it."""
    from markupsafe import Markup

    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("</", "<\\/").replace("<!", "\\u003c!"))
