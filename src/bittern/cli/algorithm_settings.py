"""A command with an option for every setting of every algorithm."""

import inspect
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from bittern.cli.parsing import parse_number

SETTINGS_PANEL = "Settings of the algorithm"


class WithSettings(TyperCommand):
    """A command with an option for every setting of every algorithm."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The command's own options and, before --help, the algorithms' settings."""
        *own, help_option = super().get_params(ctx)
        return [*own, *_setting_options(), help_option]

    def invoke(self, ctx: Any) -> Any:
        """Hand the settings over in ctx.obj; the command itself does not know their names."""
        names = [option.name for option in _setting_options()]
        given = {name: ctx.params.pop(name) for name in names}
        ctx.obj = {name: parse_number(value) for name, value in given.items() if value is not None}
        return super().invoke(ctx)


def _setting_options() -> list[Any]:
    """An option for each setting, made by Typer from a function that has them as parameters."""
    from bittern.algorithms import settings

    def function(**_: Any) -> None: ...

    parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[
                str | None,
                typer.Option(help=text, metavar="VALUE", rich_help_panel=SETTINGS_PANEL),
            ],
        )
        for name, text in settings().items()
    ]
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    settings_app = typer.Typer(add_completion=False)
    settings_app.command()(function)
    return list(typer.main.get_command(settings_app).params)
