"""Metadata, dependencies and entry point of ncpgui; `constraints.txt` pins a tested set.

docs/project/dependencies.md says what each dependency is for.
"""

import runpy
from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).parent


def version() -> str:
    """Return `__version__` without importing the package."""
    for line in (HERE / "ncpgui" / "__init__.py").read_text(encoding="utf-8").splitlines():
        if line.startswith("__version__"):
            return line.split('"')[1]
    raise RuntimeError("ncpgui/__init__.py states no __version__")


def readme() -> str:
    """Return README.md as a package index shows it: without links that hold in a checkout only."""
    made = runpy.run_path(str(HERE / "scripts" / "readme_for_index.py"))
    return str(made["readme_for_index"]((HERE / "README.md").read_text(encoding="utf-8")))


TEST = [
    "pytest>=8",
    "pytest-qt>=4.4",
    "pytest-timeout>=2.3",
    "pytest-xdist>=3.6",
    "distributed>=2024.5,<2027",
    "hypothesis>=6.100",
    "import-linter>=2.1",
    "pandas>=2.2",
    "phylib>=2.6",
    "pynwb>=4,<5",
    "tensorboard>=2.17,<3",
]

DOCS = [
    "furo>=2025.7",  # the theme
    "matplotlib>=3.9",  # pictures of the notebook
    "myst-nb>=1.2,<2",  # pages in Markdown, and the notebook
    "pandas>=2.2",  # the comparison with the truth in the notebook
    "sphinx>=8.1,<9",
    "sphinx-design>=0.6,<1",  # the cards of the first page
    "sphinx-mathjax-offline>=0.0.2",  # formulas without a network
]

setup(
    name="ncpgui",
    version=version(),
    description="Spike sorting that shows the alternatives, each with a probability",
    long_description=readme(),
    long_description_content_type="text/markdown",
    license="GPL-3.0-or-later",
    license_files=["LICENSE"],
    keywords=[
        "spike sorting",
        "electrophysiology",
        "multi-electrode array",
        "Neuropixels",
        "tetrode",
        "retina",
        "clustering",
        "posterior",
        "neural clustering processes",
        "SpikeInterface",
        "phy",
    ],
    classifiers=[
        "Development Status :: 3 - Alpha",
        "Environment :: Console",
        "Environment :: X11 Applications :: Qt",
        "Intended Audience :: Science/Research",
        "Natural Language :: English",
        "Operating System :: OS Independent",
        "Programming Language :: Python :: 3",
        "Programming Language :: Python :: 3 :: Only",
        "Programming Language :: Python :: 3.10",
        "Programming Language :: Python :: 3.11",
        "Programming Language :: Python :: 3.12",
        "Programming Language :: Python :: 3.13",
        "Topic :: Scientific/Engineering :: Bio-Informatics",
        "Topic :: Scientific/Engineering :: Visualization",
        "Typing :: Typed",
    ],
    python_requires=">=3.10,<3.14",
    packages=[
        *find_packages(include=["ncpgui", "ncpgui.*"]),
        "ncpgui.resources",
        "ncpgui.trained_models",
    ],
    # Both folders lie beside the package; in a wheel they move inside it (core/resources.py finds either).
    package_dir={"ncpgui.resources": "resources", "ncpgui.trained_models": "trained_models"},
    package_data={
        "ncpgui": ["py.typed"],
        "ncpgui.resources": ["*", "**/*"],
        "ncpgui.trained_models": ["*.safetensors", "*.json", "*.md"],
    },
    install_requires=[
        "click>=8.1",
        "h5py>=3.10",
        "joblib>=1.3",
        "numba>=0.60",
        "numpy>=2.0",
        "packaging>=22",
        "platformdirs>=4",
        "probeinterface>=0.4",
        "psygnal>=0.11",
        "PyQt5>=5.15.9",
        "pyqtgraph>=0.13.7,<0.15",
        "rich>=13",
        "safetensors>=0.4.3",
        "scikit-learn>=1.4",
        "scipy>=1.11",
        "spikeinterface>=0.103,<0.106",
        "threadpoolctl>=3.1",
        "tomli>=2; python_version < '3.11'",
        "torch>=2.4",
        "zarr>=2.18,<3",
    ],
    extras_require={
        "test": TEST,
        "dev": [*TEST, "mypy>=1.15", "pre-commit>=4", "ruff>=0.9", "build>=1.2", "twine>=6"],
        "docs": DOCS,
        "train": ["tensorboard>=2.17,<3"],
        "figures": ["matplotlib>=3.9"],
        "bench": ["matplotlib>=3.9", "mountainsort5>=0.5", "skops>=0.11,<0.17"],
        "nwb": ["pynwb>=4,<5"],
        "sigui": ["spikeinterface-gui>=0.14,<0.15"],
        "dask": ["distributed>=2024.5,<2027"],
        "simulate": ["NEURON>=9.0"],
    },
    entry_points={
        "console_scripts": ["ncpgui = ncpgui.__main__:main"],
        "spikeinterface_gui.views": ["ncpgui = ncpgui.spikeinterface_gui_view:AlternativesView"],
    },
)
