"""A command class that adds `--algorithm` and one option per setting of every algorithm."""

import inspect
from functools import cache
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from bittern.cli.parsing import parse_number

PANEL_TITLE = "Inference algorithm and its settings"


class AlgorithmCommand(TyperCommand):
    """A command that finds the chosen algorithm, with its settings, in `ctx.obj`."""

    def get_params(self, ctx: Any) -> list[Any]:
        """List the command's own options, then the algorithms' settings, then `--help`."""
        *own, help_option = super().get_params(ctx)
        return [*own, *_algorithm_options(), help_option]

    def invoke(self, ctx: Any) -> Any:
        """Build the algorithm from its options; the command does not know their names."""
        from bittern.algorithms import make_algorithm

        values = {option.name: ctx.params.pop(option.name) for option in _algorithm_options()}
        algorithm = values.pop("algorithm")
        settings = {name: parse_number(text) for name, text in values.items() if text is not None}
        ctx.obj = make_algorithm(algorithm, settings)
        return super().invoke(ctx)


@cache
def _algorithm_options() -> list[Any]:
    """Let Typer create the options from a function with one parameter per option."""
    from bittern.algorithms import ALGORITHMS, describe_settings

    def function(**_: Any) -> None: ...

    names = ", ".join(ALGORITHMS)
    parameters = [
        _parameter("algorithm", str, "sdm", "-a", help=f"Inference algorithm: {names}."),
        *(
            _parameter(name, str | None, None, help=text, metavar="VALUE")
            for name, text in describe_settings().items()
        ),
    ]
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    app = typer.Typer(add_completion=False)
    app.command()(function)
    return list(typer.main.get_command(app).params)


def _parameter(
    name: str, kind: Any, default: Any, *short: str, **details: Any
) -> inspect.Parameter:
    """Describe an option as the parameter of a function."""
    flag = f"--{name.replace('_', '-')}"
    option = typer.Option(flag, *short, rich_help_panel=PANEL_TITLE, **details)
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option]
    )
