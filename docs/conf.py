"""Configuration of the documentation site, which `make docs` builds without a network."""

import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "bittern"
release = metadata.version("bittern")
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "site_parts",
]
exclude_patterns = ["_build"]

myst_enable_extensions = ["attrs_block", "dollarmath"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

default_role = "py:obj"  # `BTM` in a docstring becomes a link if there is a target
add_module_names = False
smartquotes = False  # commands are copied from the text
toc_object_entries_show_parents = "hide"
autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "bittern"
html_static_path = ["_static"]
html_css_files = ["site.css"]
templates_path = ["_templates"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"**": ["all-pages"]}
html_theme_options = {
    "article_header_start": [],
    "navbar_center": [],
    "navbar_end": ["theme-switcher"],
    "search_bar_text": "Search",
    "footer_start": [],
    "footer_end": [],
    "show_toc_level": 2,
}
