"""How Sphinx makes the site: ``make docs``, or ``sphinx-build docs build/docs/html``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path[:0] = [str(ROOT), str(DOCS / "_ext")]
os.environ["PYTHONWARNINGS"] = "ignore:IProgress"  # a bar of progress that the notebook does without

import ncpgui  # noqa: E402

project = "ncpgui"
author = "the ncpgui contributors"
release = ncpgui.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.doctest",
    "sphinx_design",
    "sphinx-mathjax-offline",
    "copied_pages",
    "command_pages",
    "newcomers",
    "dark_pictures",
    "docstrings",
]
exclude_patterns = ["_ext"]

myst_enable_extensions = ["colon_fence", "dollarmath", "deflist"]
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_timeout = 600  # of a cell, on a machine that is busy with other work
nb_execution_raise_on_error = True
nb_merge_streams = True

autodoc_typehints = "none"  # shapes and units stand in the words
autodoc_member_order = "bysource"
add_module_names = False
napoleon_google_docstring = False
napoleon_use_rtype = False
default_role = "code"

html_theme = "furo"
html_title = "ncpgui"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_copyright = False
pygments_style = "friendly"
pygments_dark_style = "monokai"

# Examples in docstrings take the names of their module for granted.
doctest_global_setup = """
from ncpgui.core.order_agreement import *
from ncpgui.core.partition import *
"""
