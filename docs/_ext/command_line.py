"""Generate the reference of all commands from the Typer application."""

from collections.abc import Iterator
from typing import Any

PAGE, MARKER = "command-line", "<!-- commands -->"


def setup(app: Any) -> dict[str, Any]:
    """Register the extension; called by Sphinx."""
    app.connect("source-read", insert_commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def insert_commands(_: Any, page: str, source: list[str]) -> None:
    """Replace the marker on the page about the command line."""
    if page == PAGE:
        source[0] = source[0].replace(MARKER, "\n".join(describe_commands()))


def describe_commands() -> Iterator[str]:
    """Yield the Markdown lines of all commands, in the order of `bittern --help`."""
    from typer.main import get_command

    from bittern.cli import app

    group: Any = get_command(app)
    for name, command in group.commands.items():
        yield from describe_command(name, command)


def describe_command(name: str, command: Any) -> Iterator[str]:
    """Yield the Markdown lines of one command: description, usage, example, options."""
    context = command.make_context(name, [], resilient_parsing=True)
    parameters = [item for item in command.get_params(context) if item.name != "help"]
    arguments = [item for item in parameters if item.param_type_name == "argument"]
    options = [item for item in parameters if item.param_type_name == "option"]
    yield from (f"### {name}", "", command.help or "", "")
    usage = " ".join(["bittern", name, *map(placeholder, arguments)])
    yield from ("```text", f"{usage} [OPTIONS]", "```", "")
    if command.epilog:
        label, _, example = command.epilog.partition(": ")
        yield from (f"{label}: `{example}`", "")
    yield from ("| | description | default |", "|---|---|---|")
    for item in [*arguments, *options]:
        yield f"| {flags(item)} | {escape(item.help or '')} | {default(item, context)} |"
    yield ""


def placeholder(argument: Any) -> str:
    """Return the name of an argument as the usage shows it."""
    return f"{argument.metavar or argument.name.upper()}{'...' if argument.nargs == -1 else ''}"


def flags(item: Any) -> str:
    """Return the name of an argument, or the flags of an option."""
    if item.param_type_name == "argument":
        return f"`{placeholder(item)}`"
    value = f" {item.metavar}" if item.metavar else ""
    return ", ".join(f"`{flag}{value}`" for flag in item.opts)


def default(item: Any, context: Any) -> str:
    """Return the default, or "required"."""
    if item.required:
        return "required"
    if isinstance(getattr(item, "show_default", None), str):
        return escape(item.show_default)
    value = item.get_default(context)
    return "" if value is None or value is False or value == () else f"`{value}`"


def escape(text: str) -> str:
    """Escape what has a meaning in a table of Markdown."""
    return text.replace("|", r"\|").replace("*", r"\*").replace("<", "&lt;")
