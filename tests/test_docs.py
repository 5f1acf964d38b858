"""Every example of the documentation runs."""

import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

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


def examples(language):
    pattern = re.compile(rf"^```{language}\n(.*?)^```", re.M | re.S)
    return [
        pytest.param(block, id=f"{page.relative_to(ROOT)}-{number}")
        for page in PAGES
        for number, block in enumerate(pattern.findall(page.read_text("utf-8")))
    ]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"answer": ANSWERS * 5}).write_csv("answers.csv")
    return tmp_path


@pytest.mark.parametrize("block", examples("python"))
def test_python_examples_run(block, folder):
    exec(compile(block, "example", "exec"), {})


@pytest.mark.parametrize("block", examples("console"))
def test_commands_run(block, folder):
    commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    assert commands
    for command in commands:
        name, *arguments = command.split()
        assert name == "bittern"
        done = subprocess.run(
            [sys.executable, "-m", "bittern", *arguments], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr


def test_links_lead_to_files():
    for page in PAGES:
        for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
