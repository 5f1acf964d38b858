"""Charts as HTML pages that need no network."""

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from bittern._core.html import render_page, script_json

if TYPE_CHECKING:
    import altair as alt
    from markupsafe import Markup

VEGA_SNIPPET = "window.vegaEmbed = vegaEmbed;"  # what the scripts of pages need of Vega


def chart_page(chart: "alt.TopLevelMixin") -> str:
    """Return a page with a chart; no text in the chart can become markup."""
    import altair as alt

    template = files("bittern.charts").joinpath("chart.html").read_text("utf-8")
    with alt.data_transformers.disable_max_rows():
        spec = json.loads(chart.to_json(), parse_constant=lambda _: None)  # NaN is not JSON
    return render_page(template, spec=script_json(spec), vega=vega_library())


@cache
def vega_library() -> "Markup":
    """Return the Vega library, for a script element."""
    import vl_convert
    from markupsafe import Markup

    return Markup(vl_convert.javascript_bundle(VEGA_SNIPPET).replace("</script", "<\\/script"))
