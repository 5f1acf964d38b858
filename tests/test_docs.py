"""Every example of the documentation runs, every link leads somewhere, the site can be built."""

import os
import re
import shlex
import subprocess
import sys
import warnings
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pytest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
SITE_NEEDS = ("sphinx", "myst_parser", "pydata_sphinx_theme", "sphinx_copybutton")

ANSWERS = [
    "The train was late again and I missed my connection",
    "Late trains every morning, the connection never works",
    "Seats are dirty and the carriage smells",
    "Dirty windows, dirty seats, broken toilet in the carriage",
    "Tickets are too expensive for a family",
    "Expensive tickets, and the family discount is gone",
    "Friendly staff helped me with my luggage",
    "The staff was friendly, thanks for the help with luggage",
]


BLOCK = re.compile(r"^```(python|console)\n(.*?)^```", re.M | re.S)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files that the examples read."""
    monkeypatch.chdir(tmp_path)
    answers = pl.DataFrame({"answer": ANSWERS * 5})
    answers.write_csv("answers.csv")
    days = [f"2024-{1 + i % 6:02}-{1 + i % 28:02}" for i in range(answers.height)]
    answers.with_columns(pl.Series("date", days)).write_csv("dated.csv")
    os.mkdir("posts")
    for month in ("2024-01", "2024-02", "2024-03"):
        answers.rename({"answer": "text"}).write_csv(f"posts/{month}.csv")
    return tmp_path


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_examples_of_a_page_run_one_after_the_other(path, folder, monkeypatch):
    names = {}
    for language, block in BLOCK.findall(path.read_text("utf-8")):
        if language == "python":
            exec(compile(block, f"{path.name}: {block}", "exec"), names)
            continue
        commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
        assert commands
        for command in commands:
            if "|" in command or ">" in command:
                run_in_shell(command)
            else:
                run_here(command, monkeypatch)


def run_here(command, monkeypatch):
    """Run a command as a new process would, without the time that its imports take."""
    from bittern.cli import main

    name, *arguments = shlex.split(command)
    assert name == "bittern"
    monkeypatch.setattr(sys, "argv", [name, *arguments])
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        with pytest.raises(SystemExit) as end:
            main()
    assert end.value.code == 0, command


def run_in_shell(command):
    assert "bittern" in command
    if os.name != "posix":
        return
    scripts = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, env=os.environ | {"PATH": scripts}
    )
    assert done.returncode == 0, f"{command}\n{done.stderr}"


def test_links_lead_to_files():
    for page in PAGES:
        for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built from nothing, where a warning is an error."""
    missing = [module for module in SITE_NEEDS if find_spec(module) is None]
    if missing:
        pytest.skip(f'no {", ".join(missing)}: pip install "bittern[docs]"')
    out = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "--quiet", "-b", "html"]
    done = subprocess.run(
        [*build, "-d", str(out / "doctrees"), str(DOCS), str(out / "html")],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return out / "html"


class Loads(HTMLParser):
    """What a page loads by itself, from which addresses."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        names = {"link": ["href"], "image": ["href", "xlink:href"], "use": ["href", "xlink:href"]}
        names = names.get(tag, ["src", "srcset", "data", "poster"])
        self.found += [given[name] for name in names if given.get(name)]
        self.found += re.findall(r"url\(([^)]*)\)", given.get("style") or "")


def test_the_site_loads_nothing_from_the_network(site):
    pages = [page for page in sorted(site.rglob("*.html")) if "_static" not in page.parts]
    assert len(pages) > len(PAGES)  # with the search, the index and the studies
    for page in pages:
        loads = Loads()
        loads.feed(page.read_text("utf-8"))
        far = [address for address in loads.found if is_far(address)]
        assert not far, f"{page.relative_to(site)}: {far}"
        for address in loads.found:
            near = page.parent / address.partition("?")[0].partition("#")[0]
            assert address.startswith("data:") or near.exists(), f"{page.name}: {address}"
    for style in site.rglob("*.css"):
        found = re.findall(r"(?:url\(|@import)\s*[\"']?([^\"')\s]+)", style.read_text("utf-8"))
        assert not [address for address in found if is_far(address)], style.name


def is_far(address):
    return re.match(r"\s*([a-z]+:)?//", address.strip("\"' "), re.I) is not None


def test_the_site_has_its_formulas_and_studies(site):
    formulas = (site / "sdm.html").read_text("utf-8")
    assert formulas.count("<math") > 20
    assert "merror" not in formulas
    studies = [page.relative_to(DOCS) for page in DOCS.glob("study/*/study.html")]
    index = (site / "study" / "index.html").read_text("utf-8")
    for page in studies:
        assert (site / page).exists()
        assert f'href="{page.parent.name}/study.html"' in index
