"""The command line: parse, call, print. Everything else is imported where it is needed."""

import os
import sys
import warnings
from typing import Annotated, Any, NoReturn

import typer

from bittern.cli import charts, documents, learning, topics
from bittern.cli.shared import app, say
from bittern.errors import InputError

__all__ = ["charts", "documents", "learning", "main", "topics"]

COMMANDS = (
    *("demo", "fit", "topics", "transform", "examples", "explain", "quality", "score"),
    *("report", "choose", "edit", "timeline", "study", "generate"),
)
app.registered_commands.sort(key=lambda command: COMMANDS.index(command.callback.__name__))  # type: ignore[union-attr]


@app.callback(invoke_without_command=True)
def _bittern(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        from bittern import __version__

        print(__version__)
        raise typer.Exit


def main() -> None:
    """Run the command line; what goes wrong by the user's doing is said in one line."""
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except (InputError, OSError) as error:
        if isinstance(error, BrokenPipeError):  # the reader of our output has had enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)
        _fail(str(error))
    except (KeyboardInterrupt, typer.Abort):
        say("bittern: interrupted: nothing was written")
        sys.exit(130)
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        command = getattr(getattr(error, "ctx", None), "command_path", "bittern")
        if not error.format_message():  # bittern alone: the help has been printed
            sys.exit(2)
        _fail(f"{error.format_message().rstrip('.')}: see {command} --help")
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str) -> NoReturn:
    say(f"bittern: {message}")
    sys.exit(2)


def _show_warning(message: Any, *_: Any) -> None:
    say(f"bittern: warning: {message}")
