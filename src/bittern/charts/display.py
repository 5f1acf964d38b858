"""Charts in notebooks, without a network."""

import re
from functools import cache
from io import StringIO
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import altair as alt

Chart = TypeVar("Chart", bound="alt.TopLevelMixin")


class OfflineDisplay:
    """Display a chart from what a notebook has, where Altair would load Vega from the network.

    The output is the chart for notebooks that have Vega-Lite of this version, and a picture for all
    others. A renderer that the user has enabled is used instead.
    """

    def _repr_mimebundle_(self, *args: Any, **kwargs: Any) -> Any:
        import altair as alt

        display: Any = super()
        if alt.renderers.active != "default":
            return display._repr_mimebundle_(*args, **kwargs)
        chart: Any = self
        picture = StringIO()
        chart.save(picture, format="svg")
        with alt.renderers.enable("mimetype"):
            found = display._repr_mimebundle_(*args, **kwargs)
        bundle = found[0] if isinstance(found, tuple) else found  # with metadata
        # Altair 6.3 writes "v6.json", which notebooks and nbconvert refuse: JSON is "+json"
        bundle = {re.sub(r"\.json$", "+json", kind): data for kind, data in bundle.items()}
        name = f"<{type(self).__name__}>"
        return bundle | {"image/svg+xml": picture.getvalue(), "text/plain": name}

    def __reduce_ex__(self, protocol: Any) -> Any:  # the class is made when it is needed
        return _restore, (type(self).__bases__[1], vars(self))


def _restore(kind: type[Chart], attributes: dict[str, Any]) -> Chart:
    """Return the copy of a chart, or the chart that was pickled."""
    chart = object.__new__(kind)
    vars(chart).update(attributes)
    return display_offline(chart)


def display_offline(chart: Chart) -> Chart:
    """Make notebooks display this chart without a network; other charts are as before."""
    kind: Any = type(chart)
    object.__setattr__(chart, "__class__", _offline_class(kind))
    return chart


@cache
def _offline_class(kind: type) -> type:
    """Return a class of charts that are displayed offline, with the same name."""
    return (
        kind
        if issubclass(kind, OfflineDisplay)
        else type(kind.__name__, (OfflineDisplay, kind), {})
    )
