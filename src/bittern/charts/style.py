"""The style of all charts, and what is needed to draw them."""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar, cast

from bittern.charts.display import display_offline
from bittern.errors import InputError

if TYPE_CHECKING:
    import altair as alt

REQUIRED_MODULES = ("altair", "jinja2", "vl_convert")
BLUE, ORANGE = "#0072b2", "#d55e00"  # Okabe and Ito: safe for color-blind readers
MAX_PANELS = 12  # topics shown unless others are asked for

Chart = TypeVar("Chart", bound="alt.TopLevelMixin")


def check_installed() -> None:
    """Raise an error with an install hint if charts cannot be drawn.

    Raises
    ------
    InputError
        If a package of the extra `report` is missing.

    Examples
    --------
    >>> from bittern.charts import check_installed
    >>> check_installed()
    """
    for module in REQUIRED_MODULES:
        if find_spec(module) is None:
            raise InputError(f'charts need {module}; run: pip install "bittern[report]"')


def apply_style(chart: Chart) -> Chart:
    """Apply the style of all charts, thin grid lines and no frame, and display them offline."""
    styled = chart.configure_view(stroke=None).configure_axis(
        gridColor="#e5e5e5", labelFontSize=12, titleFontSize=12, titleFontWeight="normal"
    )
    return display_offline(cast(Chart, styled))


def layer_charts(*charts: "alt.Chart") -> "alt.LayerChart":
    """Draw charts on top of each other."""
    import altair as alt

    return cast("alt.LayerChart", alt.layer(*charts))


def facet_topics(panel: "alt.LayerChart", titles: list[str], **scales: Any) -> "alt.FacetChart":
    """Draw one panel per topic, in the order of the titles, which are in the field `panel`."""
    import altair as alt

    facet = alt.Facet("panel:N", sort=titles, title=None, header=alt.Header(labelFontSize=12))
    return apply_style(
        cast("alt.FacetChart", panel.facet(facet, columns=3).resolve_scale(**scales))
    )
