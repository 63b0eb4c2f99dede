"""Whether the system is set to dark, asked where each kind of system keeps it."""

from __future__ import annotations

import os
import sys
from typing import Any

from PyQt5 import QtCore, QtGui, QtWidgets

WINDOWS_KEY = r"HKEY_CURRENT_USER\Software\Microsoft\Windows\CurrentVersion\Themes\Personalize"
PORTAL = ("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop")
WAIT_MS = 300
IS_DARK = 1
"""What the portal calls dark; 0 is no preference, 2 light."""
_KEPT = "ncpgui_system_is_dark"


def system_is_dark(application: QtWidgets.QApplication) -> bool:
    """Whether the system is dark; light where nothing tells. Asked once, before our own colours are set."""
    kept = application.property(_KEPT)
    if kept is None:
        kept = _ask(application)
        application.setProperty(_KEPT, kept)
    return bool(kept)


def _ask(application: QtWidgets.QApplication) -> bool:
    if sys.platform == "win32":
        settings = QtCore.QSettings(WINDOWS_KEY, QtCore.QSettings.NativeFormat)
        return str(settings.value("AppsUseLightTheme", 1)) == "0"
    chosen = portal_answer() if os.environ.get("DBUS_SESSION_BUS_ADDRESS") else None
    if chosen:
        return chosen == IS_DARK
    palette = application.palette()
    return palette.color(QtGui.QPalette.Window).lightness() < palette.color(QtGui.QPalette.Text).lightness()


def portal_answer() -> int | None:
    """What the desktop portal of Linux says of the colour scheme, None when it says nothing."""
    try:
        from PyQt5 import QtDBus
    except ImportError:
        return None
    bus = QtDBus.QDBusConnection.sessionBus()
    if not bus.isConnected():
        return None
    asked = QtDBus.QDBusMessage.createMethodCall(*PORTAL, "org.freedesktop.portal.Settings", "Read")
    asked.setArguments(["org.freedesktop.appearance", "color-scheme"])
    return plain_number(bus.call(asked, QtDBus.QDBus.Block, WAIT_MS).arguments())


def plain_number(arguments: list[Any]) -> int | None:
    """The number in an answer, which comes in variants of variants; None when there is none."""
    value: Any = arguments[0] if arguments else None
    while hasattr(value, "variant"):
        value = value.variant()
    return value if isinstance(value, int) and not isinstance(value, bool) else None
