"""Light and dark: colours, fonts, the style sheet and pyqtgraph's options.

Chrome is quiet, nearly grey, so that the colours of units are what one sees; one accent marks what
is active, and amber means ambiguous everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pyqtgraph as pg
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.model.colors import Color
from ncpgui.core.resources import resource

FONT_FAMILIES = ("Inter", "SF Pro Text", "Segoe UI", "Noto Sans", "Ubuntu", "Cantarell", "DejaVu Sans")
BASE_PX = 13


@dataclass(frozen=True)
class Theme:
    """Named colours of one theme, ``#RRGGBB``."""

    name: str
    window: str
    panel: str
    sunken: str
    hover: str
    border: str
    text: str
    muted: str
    faint: str
    accent: str
    accent_soft: str
    on_accent: str
    amber: str
    amber_soft: str
    good: str
    bad: str
    is_dark: bool

    def color(self, name: str, alpha: int = 255) -> QtGui.QColor:
        """Named colour, 0 .. 255 opaque."""
        color = QtGui.QColor(getattr(self, name))
        color.setAlpha(alpha)
        return color

    def unit(self, color: Color, alpha: int = 255) -> QtGui.QColor:
        """Colour of a unit on this theme."""
        result = QtGui.QColor(color.hex(dark=self.is_dark))
        result.setAlpha(alpha)
        return result

    def heat(self, share: float) -> QtGui.QColor:
        """Ambiguity 0 .. 1: from the colour of settled things to amber."""
        return blend(self.color("amber_soft"), self.color("amber"), min(max(share, 0.0), 1.0) ** 0.7)


LIGHT = Theme(
    name="light",
    window="#EEF0F4",
    panel="#FFFFFF",
    sunken="#F5F6F9",
    hover="#F0F2F7",
    border="#DDE1E9",
    text="#1A2030",
    muted="#5D677A",
    faint="#98A2B3",
    accent="#4453C7",
    accent_soft="#EBEDFB",
    on_accent="#FFFFFF",
    amber="#D98200",
    amber_soft="#F6E9CF",
    good="#1E8E5A",
    bad="#C93445",
    is_dark=False,
)
DARK = Theme(
    name="dark",
    window="#0F1116",
    panel="#181B22",
    sunken="#12151B",
    hover="#20242D",
    border="#2B303B",
    text="#E8EBF1",
    muted="#9AA4B5",
    faint="#657084",
    accent="#8C9BFF",
    accent_soft="#252B47",
    on_accent="#0F1116",
    amber="#FFB340",
    amber_soft="#3A2F1B",
    good="#4CC38A",
    bad="#FF6B6B",
    is_dark=True,
)


def theme_named(name: str) -> Theme:
    """Return the theme called "light" or "dark"."""
    return DARK if name == "dark" else LIGHT


def blend(a: QtGui.QColor, b: QtGui.QColor, share: float) -> QtGui.QColor:
    """Return the colour a `share` of the way from `a` to `b`."""
    mix = [round(x + (y - x) * share) for x, y in zip(a.getRgb(), b.getRgb(), strict=True)]
    return QtGui.QColor(*mix)


def font(px: int = BASE_PX, *, bold: bool = False, medium: bool = False) -> QtGui.QFont:
    """Font of the program at a size in logical pixels."""
    result = QtGui.QFont(_family())
    result.setPixelSize(px)
    if bold:
        result.setWeight(QtGui.QFont.Bold)
    elif medium:
        result.setWeight(QtGui.QFont.DemiBold)
    return result


@cache
def _family() -> str:
    """The first of our families that is installed; asked once, for each font that is painted needs it."""
    known = QtGui.QFontDatabase().families()
    return next((name for name in FONT_FAMILIES if name in known), QtWidgets.QApplication.font().family())


def apply_theme(app: QtWidgets.QApplication, theme: Theme) -> None:
    """Style the whole application; nothing is done where it has that look, since Qt restyles every widget."""
    style = style_sheet(theme)
    if app.styleSheet() == style:
        return
    app.setStyle("Fusion")
    app.setFont(font())
    app.setPalette(_palette(theme))
    app.setStyleSheet(style)
    pg.setConfigOptions(antialias=True, background=theme.panel, foreground=theme.muted)


def _palette(theme: Theme) -> QtGui.QPalette:
    palette = QtGui.QPalette()
    roles = {
        QtGui.QPalette.Window: "window",
        QtGui.QPalette.WindowText: "text",
        QtGui.QPalette.Base: "panel",
        QtGui.QPalette.AlternateBase: "sunken",
        QtGui.QPalette.Text: "text",
        QtGui.QPalette.Button: "panel",
        QtGui.QPalette.ButtonText: "text",
        QtGui.QPalette.Highlight: "accent",
        QtGui.QPalette.HighlightedText: "on_accent",
        QtGui.QPalette.ToolTipBase: "panel",
        QtGui.QPalette.ToolTipText: "text",
        QtGui.QPalette.Link: "accent",
        QtGui.QPalette.Mid: "border",
    }
    for role, name in roles.items():
        palette.setColor(role, theme.color(name))
    for role in (QtGui.QPalette.Text, QtGui.QPalette.WindowText, QtGui.QPalette.ButtonText):
        palette.setColor(QtGui.QPalette.Disabled, role, theme.color("faint"))
    palette.setColor(QtGui.QPalette.PlaceholderText, theme.color("faint"))
    return palette


def style_sheet(theme: Theme) -> str:
    """Style sheet of all widgets."""
    t = theme
    return f"""
QMainWindow, QDialog, #workbench {{ background: {t.window}; }}
QWidget {{ color: {t.text}; }}
QRadioButton:disabled, QCheckBox:disabled, QLabel:disabled, QComboBox:disabled {{ color: {t.faint}; }}
QRadioButton::indicator, QCheckBox::indicator {{
    width: 13px; height: 13px; border: 1px solid {t.muted}; background: {t.panel};
}}
QRadioButton::indicator {{ border-radius: 7px; }}
QCheckBox::indicator {{ border-radius: 3px; }}
QRadioButton::indicator:checked {{ width: 5px; height: 5px; border: 5px solid {t.accent}; }}
QCheckBox::indicator:checked {{ border-color: {t.accent}; image: url("{_icon("check", t)}"); }}
QRadioButton::indicator:disabled, QCheckBox::indicator:disabled {{
    border-color: {t.border}; background: {t.sunken};
}}
QRadioButton::indicator:checked:disabled {{ border-color: {t.faint}; }}
QToolTip {{ background: {t.panel}; color: {t.text}; border: 1px solid {t.border}; padding: 5px 7px; }}

QMenuBar {{ background: {t.window}; padding: 2px 6px; }}
QMenuBar::item {{ padding: 4px 9px; border-radius: 5px; background: transparent; }}
QMenuBar::item:selected {{ background: {t.accent_soft}; }}
QMenu {{ background: {t.panel}; border: 1px solid {t.border}; padding: 5px; }}
QMenu::item {{ padding: 5px 26px 5px 12px; border-radius: 5px; }}
QMenu::item:selected {{ background: {t.accent_soft}; color: {t.text}; }}
QMenu::item:disabled {{ color: {t.faint}; }}
QMenu::separator {{ height: 1px; background: {t.border}; margin: 5px 8px; }}

QToolBar {{ background: {t.window}; border: none; padding: 3px; spacing: 3px; }}
QToolBar::separator {{ background: {t.border}; width: 1px; margin: 5px 6px; }}
QToolButton {{
    padding: 4px 10px; border-radius: 6px; border: 1px solid transparent; background: transparent;
}}
QToolButton:hover {{ background: {t.panel}; border-color: {t.border}; }}
QToolButton:pressed {{ background: {t.accent_soft}; }}
QToolButton:checked {{ background: {t.accent_soft}; color: {t.accent}; }}
QToolButton:disabled {{ color: {t.faint}; }}

QStatusBar {{ background: {t.window}; color: {t.muted}; min-height: 28px; }}
QStatusBar::item {{ border: none; }}
QStatusBar QLabel {{ color: {t.muted}; }}

QPushButton {{
    background: {t.panel}; border: 1px solid {t.border}; border-radius: 6px; padding: 6px 14px;
}}
QPushButton:hover {{ border-color: {t.faint}; background: {t.hover}; }}
QPushButton:pressed {{ background: {t.accent_soft}; }}
QPushButton:disabled {{ color: {t.faint}; background: transparent; }}
QPushButton[primary="true"] {{
    background: {t.accent}; border-color: {t.accent}; color: {t.on_accent}; font-weight: 600;
}}
QPushButton[primary="true"]:hover {{ background: {blend(t.color("accent"), t.color("text"), 0.15).name()}; }}
QPushButton[primary="true"]:disabled {{
    background: {t.sunken}; border-color: {t.border}; color: {t.faint};
}}
QPushButton[quiet="true"] {{
    border-color: transparent; background: transparent; color: {t.muted}; padding: 4px 9px;
}}
QPushButton[quiet="true"]:hover {{ background: {t.hover}; color: {t.text}; }}
QPushButton[quiet="true"]:disabled {{ color: {t.faint}; }}
QPushButton[quiet="true"]:checked {{ background: {t.accent_soft}; color: {t.accent}; }}

#panel {{ background: {t.panel}; border: 1px solid {t.border}; border-radius: 9px; }}
#panel[dropTarget="true"] {{ background: {t.accent_soft}; border-color: {t.accent}; }}
#panelTitle {{ color: {t.muted}; font-weight: 600; }}
#panelNote {{ color: {t.faint}; }}
#message {{ color: {t.muted}; }}
#failure {{ color: {t.muted}; background: {t.panel}; }}
#headline {{ font-size: 18px; font-weight: 700; }}
#subtitle {{ color: {t.muted}; }}
#hero {{ font-size: 30px; font-weight: 700; }}
#lead {{ font-size: 15px; color: {t.muted}; }}
#banner {{
    background: {blend(t.color("panel"), t.color("bad"), 0.10).name()}; border-bottom: 1px solid {t.bad};
}}
#palette {{ background: {t.panel}; border: 1px solid {t.faint}; border-radius: 9px; }}
#tour {{ background: {t.panel}; border: 1px solid {t.accent}; border-radius: 9px; }}
#tourFrame {{ border: 2px solid {t.accent}; border-radius: 9px; background: transparent; }}
#snippets {{ background: {t.window}; border-top: 1px solid {t.border}; }}
QLabel[tone="bad"] {{ color: {t.bad}; }}
QLabel[tone="good"] {{ color: {t.good}; }}

QTabWidget::pane {{ border: none; }}
QTabWidget::tab-bar {{ left: 0px; }}
QTabBar {{ background: transparent; }}
QTabBar::tab {{
    background: transparent; color: {t.muted}; padding: 3px 2px 5px 2px; margin: 0px 14px 0px 0px;
    border: none; border-bottom: 2px solid transparent; font-weight: 600;
}}
QTabBar::tab:selected {{ color: {t.text}; border-bottom-color: {t.accent}; }}
QTabBar::tab:hover {{ color: {t.text}; }}

QListView, QTableView, QTextBrowser {{
    background: transparent; border: none; outline: none; selection-background-color: {t.accent_soft};
    selection-color: {t.text};
}}
QTableView {{ gridline-color: transparent; }}
QTableView::item {{ border: none; padding: 0px 4px; }}
QHeaderView {{ background: transparent; border: none; }}
QHeaderView::section {{
    background: transparent; color: {t.faint}; border: none; border-bottom: 1px solid {t.border};
    padding: 3px 4px; font-weight: 400;
}}
QTableCornerButton::section {{ background: transparent; border: none; }}

QLineEdit, QComboBox, QSpinBox, QDoubleSpinBox {{
    background: {t.panel}; border: 1px solid {t.border}; border-radius: 6px; padding: 5px 8px;
    min-height: 18px;
    selection-background-color: {t.accent}; selection-color: {t.on_accent};
}}
QLineEdit:focus, QComboBox:focus, QSpinBox:focus, QDoubleSpinBox:focus {{ border-color: {t.accent}; }}
QLineEdit[tone="bad"], QLineEdit[tone="bad"]:focus {{ border-color: {t.bad}; }}
QLineEdit:disabled, QComboBox:disabled {{ color: {t.faint}; background: {t.sunken}; }}
QComboBox {{ padding-right: 2px; }}
QComboBox::drop-down {{ border: none; width: 24px; }}
QComboBox::down-arrow {{ image: url("{_icon("arrow-down", t)}"); width: 12px; height: 12px; }}
QSpinBox, QDoubleSpinBox {{ padding-right: 24px; }}
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{
    subcontrol-origin: border; width: 24px; border: none; background: transparent;
}}
QAbstractSpinBox::up-button {{ subcontrol-position: top right; }}
QAbstractSpinBox::down-button {{ subcontrol-position: bottom right; }}
QAbstractSpinBox::up-arrow {{ image: url("{_icon("arrow-up", t)}"); width: 10px; height: 10px; }}
QAbstractSpinBox::down-arrow {{ image: url("{_icon("arrow-down", t)}"); width: 10px; height: 10px; }}
QComboBox QAbstractItemView {{ background: {t.panel}; border: 1px solid {t.border}; padding: 4px; }}
QInputDialog QLineEdit, QInputDialog QComboBox {{ min-width: 300px; }}
QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
QGroupBox {{ border: none; margin-top: 18px; font-weight: 600; }}
QGroupBox::title {{ subcontrol-origin: margin; left: 0px; color: {t.muted}; }}

QProgressBar {{
    background: {t.border}; border: none; border-radius: 3px; max-height: 6px; min-height: 6px;
    text-align: center;
}}
QProgressBar::chunk {{ background: {t.accent}; border-radius: 3px; }}

QScrollBar:vertical {{ background: transparent; width: 10px; margin: 2px; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 2px; }}
QScrollBar::handle {{ background: {t.border}; border-radius: 3px; min-height: 26px; min-width: 26px; }}
QScrollBar::handle:hover {{ background: {t.faint}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0px; height: 0px; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QScrollArea {{ background: transparent; border: none; }}
QSplitter::handle {{ background: transparent; }}
QSplitter::handle:hover {{ background: {t.accent_soft}; }}
"""


def _icon(name: str, theme: Theme) -> str:
    """File of an arrow or tick: a style sheet draws none of its own."""
    return resource(f"icons/{name}-{theme.name}.svg").as_posix()


def icon_pixmap(size: int, ratio: float = 1.0) -> QtGui.QPixmap:
    """Icon of the program: one spike, two ways to sort it."""
    pixmap = QtGui.QPixmap(round(size * ratio), round(size * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(QtCore.Qt.transparent)
    painter = QtGui.QPainter(pixmap)
    painter.setRenderHint(QtGui.QPainter.Antialiasing)
    painter.setPen(QtCore.Qt.NoPen)
    painter.setBrush(QtGui.QColor("#232B5C"))
    painter.drawRoundedRect(QtCore.QRectF(0, 0, size, size), 0.22 * size, 0.22 * size)
    for color, depth, width in (("#F58A1F", 0.46, 0.075), ("#6FA8FF", 0.30, 0.075)):
        path = QtGui.QPainterPath()
        path.moveTo(0.12 * size, 0.42 * size)
        path.cubicTo(0.30 * size, 0.42 * size, 0.32 * size, 0.36 * size, 0.38 * size, 0.36 * size)
        path.cubicTo(
            0.44 * size, 0.36 * size, 0.42 * size, (0.42 + depth) * size, 0.48 * size, (0.42 + depth) * size
        )
        path.cubicTo(0.55 * size, (0.42 + depth) * size, 0.56 * size, 0.24 * size, 0.68 * size, 0.24 * size)
        path.cubicTo(0.78 * size, 0.24 * size, 0.80 * size, 0.42 * size, 0.90 * size, 0.42 * size)
        pen = QtGui.QPen(QtGui.QColor(color), width * size)
        pen.setCapStyle(QtCore.Qt.RoundCap)
        painter.setPen(pen)
        painter.setBrush(QtCore.Qt.NoBrush)
        painter.drawPath(path)
    painter.end()
    return pixmap


def app_icon() -> QtGui.QIcon:
    """Icon of the program at several sizes."""
    icon = QtGui.QIcon()
    for size in (16, 32, 64, 128, 256):
        icon.addPixmap(icon_pixmap(size))
    return icon
