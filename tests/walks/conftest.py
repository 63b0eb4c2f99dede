"""The window and a session to open, as tests of the window have them."""

from tests.gui.conftest import array_project, opened, quick_embedding, saved_array, session, window

__all__ = ["array_project", "opened", "quick_embedding", "saved_array", "session", "window"]
