"""Extend Sphinx: formulas that need no network, study pages, and CONTRIBUTING.md as a page."""

import inspect
import re
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.addnodes import download_reference
from sphinx.transforms import SphinxTransform

STUDIES = "study/*/study.html"  # pages that `bittern study` wrote


def setup(app: Any) -> dict[str, Any]:
    """Register the extension; called by Sphinx."""
    app.add_html_math_renderer("mathml", (show_inline, None), (show_block, None))
    app.add_transform(LinkToStudies)
    app.connect("source-read", show_contributing)
    app.connect("build-finished", copy_studies)
    app.connect("autodoc-process-docstring", keep_colons, priority=600)  # after Napoleon
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def show_inline(translator: Any, node: nodes.math) -> None:
    """Render a formula inside a line."""
    translator.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def show_block(translator: Any, node: nodes.math_block) -> None:
    """Render a formula on its own line; one that is too wide for the page scrolls."""
    formula = tex2mathml(node.astext(), as_block=True)
    translator.body.append(f'<div class="formula" tabindex="0">{formula}</div>\n')
    raise nodes.SkipNode


class LinkToStudies(SphinxTransform):
    """Make links to study pages open them; Sphinx would offer them for download."""

    default_priority = 200

    def apply(self, **_: Any) -> None:
        """Change the links of a page."""
        for node in list(self.document.findall(download_reference)):
            if Path(node["reftarget"]).match(STUDIES.removeprefix("study/")):
                link = nodes.reference("", "", refuri=node["reftarget"], internal=True)
                link += node.children
                node.replace_self(link)


def show_contributing(app: Any, page: str, source: list[str]) -> None:
    """Show CONTRIBUTING.md, with its links as seen from the folder of the documentation."""
    if page == "contributing":
        file = Path(app.srcdir).parent / "CONTRIBUTING.md"
        app.env.note_dependency(str(file))
        text = re.sub(r"\]\((?!https?:|#)", "](../", file.read_text("utf-8"))
        source[0] = text.replace("](../docs/", "](")


def copy_studies(app: Any, failed: Exception | None) -> None:
    """Copy the study pages to the targets of the links."""
    for page in Path(app.srcdir).glob(STUDIES) if failed is None else ():
        target = Path(app.outdir, page.relative_to(app.srcdir))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(page, target)


def keep_colons(_: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Undo that Napoleon treats the text before a colon in a property's first line as its type."""
    if what == "property":
        lines[:] = [*(inspect.getdoc(thing) or "").splitlines(), ""]
