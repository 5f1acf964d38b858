"""Every module in `cli/commands` is a command, and its help is complete and in plain English."""

import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import typer

from bittern.algorithms import ALGORITHMS, describe_settings
from bittern.cli import app, commands
from bittern.cli.panels import Panel
from bittern.selection import DOCUMENTS_PER_TOPIC, N_TOPICS
from bittern.study import Protocol

FOLDER = Path(commands.__file__).parent
MODULES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")
COMMANDS = typer.main.get_command(app).commands

SHARED = (
    *("FILE", "MODEL", "--text", "--time", "--label", "--format", "--stop-words", "--min-df"),
    *("--language", "--window", "--seed", "--jobs", "--plot", "--quiet", "--json"),
)
OLD_WORDING = re.compile(
    r"\b(so many|anew|go on|goes on|stands? for|how (many|often|to)|what (is|are|speaks|was)|"
    r"less than that|say|says|take|takes|drawn|leave out|left out|neighbou?rs?|places)\b",
    re.IGNORECASE,
)


def help_texts(command):
    """The help text of each of the command's own parameters, by flag or argument name."""
    return {
        param.opts[0] if param.param_type_name == "option" else param.metavar: param.help
        for param in command.params
    }


def module(name):
    return import_module(f"bittern.cli.commands.{name}")


def test_every_module_is_a_command_and_vice_versa():
    assert sorted(COMMANDS) == MODULES
    for name, command in COMMANDS.items():
        assert command.callback.__module__ == f"bittern.cli.commands.{name}"
        assert command.callback.__name__ == name


@pytest.mark.parametrize("name", MODULES)
def test_help_has_a_summary_and_an_example_that_parses(name):
    command = COMMANDS[name]
    summary = command.help.split("\n\n")[0]
    assert re.fullmatch(r"[A-Z].{10,78}\.", summary), "one line, one sentence"
    program, given, *arguments = shlex.split(module(name).EXAMPLE)
    assert (program, given) == ("bittern", name)
    assert command.epilog == f"Example: {module(name).EXAMPLE}"
    assert command.make_context(name, arguments).params


@pytest.mark.parametrize("name", MODULES)
def test_every_option_has_a_help_text(name):
    command = COMMANDS[name]
    for param in command.get_params(command.make_context(name, [], resilient_parsing=True)):
        assert param.help, param.name
        assert re.fullmatch(r"(\S.*)\.", param.help, re.DOTALL), param.name


@pytest.mark.parametrize("name", MODULES)
def test_help_is_in_plain_english(name):
    command = COMMANDS[name]
    for text in (command.help, *help_texts(command).values()):
        assert text[0].isupper(), text
        assert not OLD_WORDING.search(text), text


def test_shared_options_have_the_same_help_everywhere():
    for flag in SHARED:
        texts = {
            help_texts(command)[flag]
            for name, command in COMMANDS.items()
            if flag in help_texts(command) and (name, flag) != ("generate", "FILE")
        }
        assert len(texts) == 1, flag


def test_help_shows_the_defaults_of_the_library():
    shown = {param.name: param.show_default for param in COMMANDS["choose"].params}
    assert shown["topics"] == (
        f"{N_TOPICS[0]} to {N_TOPICS[-1]}, with at least {DOCUMENTS_PER_TOPIC} texts for each topic"
    )
    shown = {param.name: param.show_default for param in COMMANDS["study"].params}
    protocol = Protocol()
    assert shown["topics"] == ",".join(map(str, protocol.topics))
    assert shown["focus"] == f"the one closest to {protocol.focus}"
    assert shown["repeats"] == str(protocol.repeats)


def test_help_of_fit_lists_every_algorithm_and_its_settings(call):
    code, out, _ = call("fit", "--help")
    assert code == 0
    for flag in ("--kappa", "--cooldown", "--epochs", "--stop-words"):
        assert flag in out
    for setting in describe_settings():
        assert f"--{setting.replace('_', '-')} " in out
    for algorithm in ALGORITHMS:
        assert re.search(rf"\b{algorithm}\b", out)


def test_help_groups_commands_into_panels(call):
    code, out, _ = call("--help")
    assert code == 0
    positions = [out.index(panel) for panel in Panel]
    assert positions == sorted(positions)
    for name in MODULES:
        assert re.search(rf"{module(name).PANEL} ─[^╰]*│ {name} ", out), name


def test_bittern_without_a_command_prints_help(call):
    code, out, err = call()
    assert "Find topics in short texts" in out
    assert (code, err) == (2, "")


def test_help_does_not_import_slow_packages():
    script = (
        "import sys; sys.argv = ['bittern', '--help']\n"
        "from bittern.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "slow = {'numba', 'polars', 'sklearn', 'numpy'} & set(sys.modules)\n"
        "assert not slow, slow"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Find topics in short texts" in done.stdout


@pytest.mark.parametrize("command", ["transform", "fit", "topics", "score", "explain", "examples"])
def test_commands_do_not_import_scikit_learn(command, model, folder):
    """It would double the time that they take to start."""
    arguments = {
        "fit": ["answers.csv", "--text", "answer", "-o", "new.model", "-k", "2"],
        "topics": ["model"],
        "explain": ["model", "topic0word1"],
    }.get(command, ["model", "answers.csv", "--text", "answer"])
    program = (
        "import sys; from bittern.cli import main\n"
        "try: main()\n"
        "finally: print('sklearn' in sys.modules, file=sys.stderr)"
    )
    line = [sys.executable, "-c", program, command, *arguments]
    done = subprocess.run(line, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0
    assert done.stderr.splitlines()[-1] == "False"
