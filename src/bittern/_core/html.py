"""HTML pages: templates whose values are escaped, and data in their scripts."""

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markupsafe import Markup


def render_page(template: str, **values: Any) -> str:
    """Return a page; every value is escaped unless it is markup."""
    from jinja2 import Environment

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(template).render(**values)


def script_json(value: Any) -> "Markup":
    """Return JSON for a script element: no text in it can end the element or start a comment."""
    from markupsafe import Markup

    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("</", "<\\/").replace("<!", "\\u003c!"))
