"""Examples in the documentation run and print what they show, links work, the site builds.

Three kinds of code blocks are run, block by block in the order of the page:

- `python`: a program, without output;
- `pycon`: a session with `>>>`, whose output is compared as by doctest;
- `console`: commands after `$`, whose output is compared if the block shows any.

In outputs, white space is normalized and `...` matches anything. Blocks of other kinds are not run.
"""

import ast
import doctest
import os
import re
import shlex
import subprocess
import sys
import warnings
from html.parser import HTMLParser
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import bittern
from bittern.datasets import save_survey

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
LINKED = [*PAGES, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"]
SITE_REQUIREMENTS = ("sphinx", "myst_parser", "pydata_sphinx_theme", "sphinx_copybutton")

BLOCK = re.compile(r"^```(python|pycon|console)\n(.*?)^```", re.M | re.S)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)
DOCTEST_FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.fixture
def survey_file(tmp_path, monkeypatch):
    """Write the file that the examples read to the current directory."""
    monkeypatch.chdir(tmp_path)
    save_survey()


@pytest.mark.usefixtures("survey_file")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_run_and_print_what_the_page_shows(page, monkeypatch, capsys):
    names = {}
    text = page.read_text("utf-8")
    for block in BLOCK.finditer(text):
        language, code = block.groups()
        line = text.count("\n", 0, block.start()) + 1
        if language == "python":
            run_program(code, names, f"{page.name}:{line}")
        elif language == "pycon":
            run_session(code, names, page.name, line)
        else:
            run_commands(code, monkeypatch, capsys)


def run_program(code, names, name):
    assert ">>>" not in code, f"{name}: a block with >>> is pycon"
    for comment in re.findall(r"  # (.*)$", code, re.M):
        assert not is_literal(comment), f"{name}: show the output in a pycon block: {comment}"
    exec(compile(code, name, "exec"), names)


def is_literal(text):
    try:
        ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return False
    return True


def run_session(code, names, name, line):
    session = doctest.DocTestParser().get_doctest(code, names, name, name, line)
    assert session.examples, f"{name}:{line}: a pycon block needs >>>"
    messages = []
    runner = doctest.DocTestRunner(optionflags=DOCTEST_FLAGS)
    result = runner.run(session, out=messages.append, clear_globs=False)
    assert result.failed == 0, "".join(messages)
    names.update(session.globs)


def run_commands(code, monkeypatch, capsys):
    commands = COMMAND.findall(code)
    assert "".join(f"$ {command}\n{shown}" for command, shown in commands) == code
    for command, shown in commands:
        if "|" in command or ">" in command:
            printed = run_in_shell(command)
        else:
            capsys.readouterr()
            run_in_process(command, monkeypatch)
            printed = capsys.readouterr().out
        if shown and printed is not None:
            matches = doctest.OutputChecker().check_output(shown, printed, DOCTEST_FLAGS)
            assert matches, f"{command}\nshown:\n{shown}\nprinted:\n{printed}"


def run_in_process(command, monkeypatch):
    """Run a command without a new process, which would import everything again."""
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
    """Return the output of a command with pipes or redirections; None without a POSIX shell."""
    assert "bittern" in command
    if os.name != "posix":
        return None
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, env=os.environ | {"PATH": path}
    )
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    return done.stdout


def test_links_point_to_files():
    for page in LINKED:
        for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_command_line_page_lists_every_command():
    from bittern.cli import app

    page = (DOCS / "command-line.md").read_text("utf-8")
    commands = {command.name or command.callback.__name__ for command in app.registered_commands}
    assert set(re.findall(r"^\| \[`(\w+)`\]\(commands\.md#\1\) \|", page, re.M)) == commands


def test_reference_of_the_commands_is_current():
    spec = spec_from_file_location("commands", ROOT / "tools" / "commands.py")
    commands = module_from_spec(spec)
    spec.loader.exec_module(commands)
    current = commands.PAGE.read_text("utf-8") == commands.reference()
    assert current, "docs/commands.md is not current: run make commands"


def test_citations_agree():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"version: {bittern.__version__}\n" in citation
    page = (DOCS / "cite.md").read_text("utf-8")
    assert f"version = {{{bittern.__version__}}}" in page
    for key in ("title", "journal", "year", "doi"):
        value = re.search(rf"^  {key}: (.*)$", citation, re.M)[1]
        assert re.search(rf"^  {key} += \{{{re.escape(value)}\}}", page, re.M), key


def test_api_reference_covers_every_public_package():
    page = (DOCS / "api.md").read_text("utf-8")
    source = ROOT / "src" / "bittern"
    packages = {path.parent.name for path in source.glob("*/__init__.py")}
    packages |= {path.stem for path in source.glob("*.py")} - {"estimator"}
    missing = [
        name for name in packages if not name.startswith("_") and f":: bittern.{name}." not in page
    ]
    assert missing == ["cli"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site from scratch; warnings are errors."""
    missing = [module for module in SITE_REQUIREMENTS if find_spec(module) is None]
    if missing:
        pytest.skip(f'{", ".join(missing)} not installed: pip install "bittern[docs]"')
    out = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "--quiet", "-b", "html"]
    done = subprocess.run(
        [*build, "-d", str(out / "doctrees"), str(DOCS), str(out / "html")],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return out / "html"


class LoadedAddresses(HTMLParser):
    """Collect the addresses that a page loads without a click."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        names = {"link": ["href"], "image": ["href", "xlink:href"], "use": ["href", "xlink:href"]}
        names = names.get(tag, ["src", "srcset", "data", "poster"])
        self.found += [given[name] for name in names if given.get(name)]
        self.found += re.findall(r"url\(([^)]*)\)", given.get("style") or "")


def test_site_loads_nothing_from_the_network(site):
    pages = [page for page in sorted(site.rglob("*.html")) if "_static" not in page.parts]
    assert len(pages) > len(PAGES)  # also the search, the index and the studies
    for page in pages:
        loaded = LoadedAddresses()
        loaded.feed(page.read_text("utf-8"))
        remote = [address for address in loaded.found if is_remote(address)]
        assert not remote, f"{page.relative_to(site)}: {remote}"
        for address in loaded.found:
            file = page.parent / address.partition("?")[0].partition("#")[0]
            assert address.startswith("data:") or file.exists(), f"{page.name}: {address}"
    for style in site.rglob("*.css"):
        found = re.findall(r"(?:url\(|@import)\s*[\"']?([^\"')\s]+)", style.read_text("utf-8"))
        assert not [address for address in found if is_remote(address)], style.name


def is_remote(address):
    return re.match(r"\s*([a-z]+:)?//", address.strip("\"' "), re.I) is not None


def test_site_has_formulas_and_study_pages(site):
    formulas = (site / "sdm.html").read_text("utf-8")
    assert formulas.count("<math") > 20
    assert "merror" not in formulas
    studies = [page.relative_to(DOCS) for page in DOCS.glob("study/*/study.html")]
    index = (site / "study" / "index.html").read_text("utf-8")
    for page in studies:
        assert (site / page).exists()
        assert f'href="{page.parent.name}/study.html"' in index


def test_site_lists_the_options_of_every_command(site):
    from bittern.cli import app

    page = (site / "commands.html").read_text("utf-8")
    for command in app.registered_commands:
        assert f'<section id="{command.callback.__name__}">' in page
    assert "--n-init" in page
