"""What Sphinx does not do by itself: formulas without a network, and the pages of the study."""

import inspect
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.addnodes import download_reference
from sphinx.transforms import SphinxTransform

STUDIES = "study/*/study.html"  # each is a page of its own that bittern has written


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (show_inline, None), (show_block, None))
    app.add_transform(LinkToStudies)
    app.connect("build-finished", copy_studies)
    app.connect("autodoc-process-docstring", keep_colons, priority=600)  # after Napoleon
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def show_inline(translator: Any, node: nodes.math) -> None:
    """A formula in a line."""
    translator.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def show_block(translator: Any, node: nodes.math_block) -> None:
    """A formula that stands alone; one that is too wide for the page can be moved in its frame."""
    formula = tex2mathml(node.astext(), as_block=True)
    translator.body.append(f'<div class="formula" tabindex="0">{formula}</div>\n')
    raise nodes.SkipNode


class LinkToStudies(SphinxTransform):
    """Links to pages of studies open them; any other file is offered for download."""

    default_priority = 200

    def apply(self, **_: Any) -> None:
        """Change the links of a page."""
        for node in list(self.document.findall(download_reference)):
            if Path(node["reftarget"]).match(STUDIES.removeprefix("study/")):
                link = nodes.reference("", "", refuri=node["reftarget"], internal=True)
                link += node.children
                node.replace_self(link)


def copy_studies(app: Any, failed: Exception | None) -> None:
    """Put the pages of studies where the links lead to."""
    for page in Path(app.srcdir).glob(STUDIES) if failed is None else ():
        target = Path(app.outdir, page.relative_to(app.srcdir))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(page, target)


def keep_colons(_: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Napoleon takes what is before a colon in a property's first line for its type: it is text."""
    if what == "property":
        lines[:] = [*(inspect.getdoc(thing) or "").splitlines(), ""]
