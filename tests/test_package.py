import ast
import re
from pathlib import Path

import bittern

SOURCE = Path(bittern.__file__).parent
WAY = [
    *("errors", "sizes", "checks", "_compile", "parallel", "progress", "columns", "words"),
    *(
        "text",
        "corpus",
        "files",
        "writing",
        "topics",
        "layout",
        "charts",
        "biterms",
        "corpus_biterms",
    ),
    *("algorithms._kernels", "algorithms._rows", "algorithms._background", "algorithms.base"),
    *("algorithms.sdm", "algorithms.alpha"),
    *("algorithms._sparse", "algorithms.gibbs", "algorithms.cvb0", "algorithms.scvb0"),
    *("algorithms.online", "algorithms.incremental", "algorithms.running", "algorithms"),
    *("documents", "evidence", "evaluate", "coherence", "quality"),
    *("learned", "timeline", "fitted", "model", "choose", "store", "interop", "demo", "generate"),
    *("report.card", "report.summary", "report.contents", "report.drawings", "report"),
    *("study.protocol", "study.measures", "study.learning", "study.plan", "study.repeats"),
    *("study.costs", "study.underflow", "study.folder", "study.running", "study.tables"),
    *("study.claims", "study.figures", "study.page", "study"),
    *("cli.shared", "cli.settings", "cli.learning", "cli.topics", "cli.documents", "cli.charts"),
    *("cli", "__main__"),
]
"""The data's way through the package: a module imports only from those before it."""


def name_of(file):
    parts = file.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def imports(file):
    """The bittern modules that a file imports when it is imported."""
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.ImportFrom) and re.match(r"bittern\b", node.module or ""):
            yield node.module.removeprefix("bittern").lstrip(".")


def test_modules_import_only_from_those_before_them():
    files = {name_of(file): file for file in SOURCE.rglob("*.py")}
    del files["__init__"]
    assert set(files) == set(WAY)
    for name, file in files.items():
        for imported in set(imports(file)) - {name}:
            assert WAY.index(imported) < WAY.index(name), f"{name} imports {imported}"


def test_the_public_names_are_these():
    assert bittern.__all__ == ["BTM", "Corpus", "load", "read"]
    assert all(callable(getattr(bittern, name)) for name in bittern.__all__)
    assert set(bittern.__all__) <= set(dir(bittern))
    assert re.fullmatch(r"\d+\.\d+\.\d+", bittern.__version__)
