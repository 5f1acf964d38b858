"""Every example of the documentation runs."""

import re
import shlex
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


BLOCK = re.compile(r"^```(python|console)\n(.*?)^```", re.M | re.S)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"answer": ANSWERS * 5}).write_csv("answers.csv")
    names = {}
    for language, block in BLOCK.findall(page.read_text("utf-8")):
        if language == "python":
            exec(compile(block, f"{page.name}: {block}", "exec"), names)
            continue
        commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
        assert commands
        for command in commands:
            name, *arguments = shlex.split(command)
            assert name == "bittern"
            done = subprocess.run(
                [sys.executable, "-m", "bittern", *arguments], capture_output=True, text=True
            )
            assert done.returncode == 0, f"{command}\n{done.stderr}"


def test_links_lead_to_files():
    for page in PAGES:
        for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
