"""A small recording, its session, and a folder to review, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import few_settings, limited, ncpgui, tetrode_folder, tetrode_session
from tests.phy_folder import write_phy

__all__ = ["few_settings", "limited", "ncpgui", "tetrode_folder", "tetrode_session"]


@pytest.fixture(scope="session")
def given_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Phy folder with its recording."""
    return write_phy(tmp_path_factory.mktemp("given") / "phy")
