"""What tells the window what to do: actions with their keys, the palette, snippets and the page of keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt5 import QtCore, QtGui

from ncpgui.app.action import Context
from ncpgui.app.actions import ACTIONS
from ncpgui.app.keymap import Keymap, read_keymap, write_template
from ncpgui.app.palette import found
from ncpgui.app.snippets import run_snippet
from ncpgui.app.words import sentence
from ncpgui.core.errors import InputError
from ncpgui.gui.dialogs.keys import KeysDialog
from ncpgui.gui.menus import ActionSet
from ncpgui.gui.palette import Palette
from ncpgui.gui.snippet_line import SnippetLine

if TYPE_CHECKING:
    from ncpgui.gui.main_window import MainWindow


class Commands:
    """All ways to an action, under the keys in force."""

    def __init__(self, window: MainWindow, context: Context) -> None:
        self._window = window
        self._context = context
        self.keymap: Keymap = read_keymap(ACTIONS, window.preferences)
        self.actions = ActionSet(window, context)
        self.palette = Palette(window, lambda query: found(context, self.keymap.keys, query))
        self.palette.chosen.connect(lambda entry: self.actions.attempt(entry.run))
        self.snippets = SnippetLine(self._run_snippet)
        self.page: KeysDialog | None = None
        self.actions.set_keys(self.keymap.keys)

    # -- palette and snippets ------------------------------------------------------------------

    def _run_snippet(self, line: str) -> None:
        run_snippet(self._context, line)
        self.actions.refresh()

    def show_palette(self) -> None:
        """Show the palette over the window."""
        self._window.activateWindow()
        self.palette.open(self._window.theme)

    def show_snippet_line(self) -> None:
        """Show the line for snippets."""
        self._window.activateWindow()
        self.snippets.open()

    # -- keys ------------------------------------------------------------------------------------

    def show_keys(self) -> None:
        """Show the page of keys."""
        if self.page is not None:
            self.page.close()
            self.page.deleteLater()
        self.page = KeysDialog(self._window, self._window.theme, self.keymap)
        self.page.keymap_chosen.connect(self.choose_keymap)
        self.page.own_keys_asked.connect(self.open_own_keys)
        self.page.read_again_asked.connect(self.read_keys)
        self.page.show()

    def choose_keymap(self, name: str) -> None:
        """Use another ready keymap, now and in the next run."""
        self._window.preferences.set("keymap", name)
        self.read_keys()

    def read_keys(self) -> None:
        """Take the keys as they are chosen and written now."""
        self.keymap = read_keymap(ACTIONS, self._window.preferences)
        self.actions.set_keys(self.keymap.keys)
        self.tell_problems()
        if self.page is not None:
            self.page.show_keymap(self.keymap)

    def tell_problems(self) -> None:
        """Say what of one's own keys could not be done."""
        if self.keymap.problems:
            first, *more = self.keymap.problems
            rest = f" (and {len(more)} more on the page of keys)" if more else ""
            words = f"{sentence(first)}{rest}"
            self._window.banner.tell(words, action="Keys", do=self.show_keys, about="keys")
        else:
            self._window.banner.settle("keys")

    def open_own_keys(self) -> None:
        """Open the file of one's own keys with the program that the system has for it."""
        try:
            path = write_template(ACTIONS, self._window.preferences)
        except InputError as error:
            self._window.banner.tell(sentence(str(error)))
            return
        QtGui.QDesktopServices.openUrl(QtCore.QUrl.fromLocalFile(str(path)))
        self._window.workspace.state.told.emit(f"Your keys are in {path}")
