"""The command line: parse arguments, call the library, print the result.

To add a command, add a module to `bittern.cli.commands` with a function of the same name, a `PANEL`
and an `EXAMPLE`. Commands import the rest of the library inside their functions, so that
`bittern --help` stays fast.
"""

import signal
import sys
import warnings
from contextlib import suppress
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Annotated, Any, NoReturn

import typer

from bittern.cli import commands
from bittern.cli.groups import expand_groups
from bittern.cli.output import (
    forget_outputs,
    interruption_message,
    print_message,
    written_outputs,
)
from bittern.cli.panels import Panel
from bittern.cli.streams import STANDARD_OUTPUT, discard_output, prepare_streams
from bittern.errors import InputError

INTERRUPTED, TERMINATED = 130, 143  # exit codes, as shells have them after Ctrl-C and SIGTERM

app = typer.Typer(
    name="bittern",
    help="Find topics in short texts: tweets, titles, comments, search queries, survey answers.",
    epilog="Start with: bittern demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _add_commands() -> None:
    """Add every module in `commands`, panel by panel and in alphabetical order."""
    names = sorted(module.name for module in iter_modules(commands.__path__))
    modules = [import_module(f"{commands.__name__}.{name}") for name in names]
    panels = list(Panel)
    for module in sorted(modules, key=lambda module: panels.index(module.PANEL)):
        _add_command(module)


def _add_command(module: ModuleType) -> None:
    """Add the function that has the name of its module."""
    name = module.__name__.rpartition(".")[2]
    app.command(
        cls=getattr(module, "COMMAND_CLASS", None),
        rich_help_panel=module.PANEL,
        epilog=f"Example: {module.EXAMPLE}",
    )(expand_groups(getattr(module, name)))


_add_commands()


@app.callback(invoke_without_command=True)
def _bittern(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        from bittern import __version__

        print(__version__)
        raise typer.Exit


def main() -> None:
    """Run the command line; print errors that the user can fix in one line."""
    prepare_streams()
    forget_outputs()
    with suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGTERM, _terminate)
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    try:
        _run_command()
        sys.stdout.flush()
    except typer.Exit as done:
        sys.exit(done.exit_code)
    except KeyboardInterrupt as interruption:
        _report_interruption(interruption)
    except typer.Abort:  # Ctrl-C in answer to a question
        _report_interruption(KeyboardInterrupt())
    except BrokenPipeError:  # the reader has closed the pipe, as `head` does
        discard_output()
        sys.exit(1)
    except (InputError, OSError, EOFError) as error:
        if getattr(error, "filename", None) == STANDARD_OUTPUT:
            discard_output()
        _fail(_describe(error))
    except MemoryError:
        _fail(_describe_memory())
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        command = getattr(getattr(error, "ctx", None), "command_path", "bittern")
        if not error.format_message():  # no command: Typer has printed the help
            sys.exit(2)
        _fail(f"{error.format_message().rstrip('.')}; see {command} --help")
    sys.exit(0)


class Termination(KeyboardInterrupt):
    """SIGTERM, which ends a command as Ctrl-C does, with another exit code."""


def _terminate(*_: Any) -> NoReturn:
    raise Termination


def _run_command() -> None:
    """Run a command as Typer does, which would turn some exceptions into exit codes."""
    command = typer.main.get_command(app)
    with command.make_context("bittern", sys.argv[1:]) as context:
        command.invoke(context)


def _report_interruption(interruption: KeyboardInterrupt) -> NoReturn:
    """Print what was written before Ctrl-C, and exit."""
    details = str(interruption) or interruption_message()
    is_terminated = isinstance(interruption, Termination)
    what = "terminated" if is_terminated else "interrupted"
    print_message("; ".join(filter(None, [f"bittern: {what}", details])))
    sys.exit(TERMINATED if is_terminated else INTERRUPTED)


def _describe(error: Exception) -> str:
    """Return the message of an error, without the number that the operating system gives it."""
    if isinstance(error, EOFError):
        return str(error) or "the input ends too early; check that the files are complete"
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    path = error.filename2 or error.filename  # a failed rename has two: show its target
    return f"{path}: {error.strerror}" if path else error.strerror


def _describe_memory() -> str:
    """Return the message for a lack of memory that no check has foreseen."""
    from bittern._core.memory import available_memory, format_size

    return (
        f"not enough memory: {format_size(available_memory())} is available; use fewer topics or "
        "texts, such as with --sample, or set --memory of bittern fit"
    )


def _fail(message: str) -> NoReturn:
    """Print an error message, with what was written before, and exit."""
    print_message("; ".join([f"bittern: {message}", *written_outputs()]))
    sys.exit(2)


def _show_warning(message: Any, *_: Any) -> None:
    """Print a warning in one line, without its place in the source code."""
    print_message(f"bittern: warning: {message}")
