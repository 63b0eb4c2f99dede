"""Margins, gaps, shares and least sizes of panels, pages and dialogs: see `tests.gui.told_layout`."""

from __future__ import annotations

from pathlib import Path

from PyQt5 import QtWidgets

from ncpgui.app.actions import ACTIONS
from ncpgui.app.keymap import keymap_from
from ncpgui.app.work.reviewing import ReviewRequest
from ncpgui.app.work.tasks import Immediate
from ncpgui.gui.dialogs.keys import KeysDialog
from ncpgui.gui.dialogs.open_recording import LINE_MARGINS_PX, OpenRecordingDialog
from ncpgui.gui.dialogs.review_recording import ReviewRecordingDialog
from ncpgui.gui.main_window import MainWindow
from ncpgui.gui.theme import LIGHT
from tests.gui.shown_export import shown_export
from tests.gui.told_layout import told_layout
from tests.gui.told_painting import advance

HEAD = """column 12 8 12 10
  row
    PanelTitle panelTitle
    ElidedLabel panelNote 1
"""
LIST_HEAD = HEAD.replace("12 8 12 10", "12 8 6 8")
MESSAGE = "  Message message wraps 1, hidden\n"
PANELS = {
    "probe": HEAD + """\
  row 1, 4 apart
    ProbeMapWidget 1, at least 120x110
    ProbeOverview, hidden
  LegendBar, at least 0x16, at most ∞x16
""",
    "queue": LIST_HEAD + """\
  Message message wraps 3, hidden
  QueueList 3
  Button quiet
  QueueList 2, hidden
""",
    "waveforms": HEAD + MESSAGE + "  ScrollArea 1, at least 172x0\n",
    "embedding": HEAD + MESSAGE + "  SpikeScatter 1, at least 120x84\n",
    "fields": HEAD + MESSAGE + "  TileArea 1\n",
    "events": HEAD + "    MenuButton quiet\n" + MESSAGE + "  TileArea 1\n",
    "finding": HEAD + "    MenuButton quiet\n" + MESSAGE + "  ScrollArea 1\n",
    "units": LIST_HEAD.replace("  row\n", "  row 0 0 14 0\n") + """\
    FilterEdit filter, at least 96x30, at most 190x∞
""" + MESSAGE + "  UnitList 1, at least 396x98\n",
    "similar": LIST_HEAD + MESSAGE + "  UnitList 1, at least 134x74\n",
    "similarity": HEAD + MESSAGE + "  SimilarityWidget 1, at least 104x104\n",
    "correlograms": HEAD + "    MenuButton quiet\n    Button quiet\n" + MESSAGE + """\
  CorrelogramGrid 1, at least 120x84
""",
    "features": HEAD + 2 * "    DropDown, at least 0x30\n" + MESSAGE + "  SpikeScatter 1, at least 120x68\n",
    "over time": HEAD + "    DropDown, at least 0x30\n" + MESSAGE + """\
  _Column 1
    column 0 0 0 0, 2 apart
      SpikeScatter 2, at least 120x44
      Plot 1, at least 120x40
""",
    "traces": HEAD + 4 * "    Button quiet\n" + MESSAGE + "  TracesPlot 1, at least 120x84\n",
    "history": LIST_HEAD + MESSAGE + "  QListWidget 1\n",
}  # fmt: skip


RECORDING = """column 24 20 24 18, 14 apart
  free
  form, 16 and 9 apart
    QLabel
    row, 8 apart
      QLineEdit 1
      QPushButton
      QPushButton
    Label, hidden
    QComboBox, hidden
    QLabel
    row, 8 apart
      QComboBox 1, at least 0x30
      QPushButton
    Label subtitle
    QLabel
    row, 10 apart
      QLineEdit 1, at least {}x0
      Label subtitle
      QLineEdit 1, at least {}x0
      Label subtitle
      QComboBox 1
    QLabel
    row, 8 apart
      QDoubleSpinBox 1
      QComboBox
    QCheckBox
    SortingDetails
      column 0 0 0 0, 0 apart
        QToolButton
        QWidget, hidden
          form 0 6 0 0, 16 and 9 apart
            QLabel
            row, 8 apart
              QLineEdit 1
              QPushButton
            QLabel
            row, 10 apart
              QComboBox 1
              QSpinBox
            QLabel
            row, 10 apart
              QDoubleSpinBox 1
              Label
              QDoubleSpinBox 1
            QLabel
            QComboBox
            QLabel
            row, 10 apart
              QDoubleSpinBox 1
              Label
              QDoubleSpinBox 1
            QLabel
            QLineEdit
            QLabel
            row, 8 apart
              QLineEdit 1
              QPushButton
    QLabel
    row, 8 apart
      QLineEdit 1
      QPushButton
  Label wraps, at least 0x44
  QDialogButtonBox
    row 0 0 0 0
      free
      QPushButton primary
      QPushButton
"""
REVIEW = """column 24 20 24 18, 14 apart
  free
  form, 16 and 9 apart
    QLabel
    row, 8 apart
      QLineEdit 1
      QPushButton
      QPushButton
    QLabel
    QLineEdit
    QLabel
    QLineEdit
    QLabel
    QComboBox
    QLabel
    QLineEdit
    QLabel
    QLineEdit
  Label subtitle wraps
  QDialogButtonBox
    row 0 0 0 0
      free
      QPushButton primary
      QPushButton
"""


def layout_of(widget: QtWidgets.QWidget) -> str:
    return "\n".join(told_layout(widget)) + "\n"


def check_panels_have_a_head_a_message_and_what_they_draw(window: MainWindow) -> None:
    """Lists reach nearer to the right edge, for their scroll bar; that of units leaves it room."""
    bench = window.bench
    for panel in bench.panels:  # those that are hidden are as they will be when they are shown
        panel.make()
        for widget in panel.findChildren(QtWidgets.QWidget):
            widget.ensurePolished()
    found = {name: layout_of(panel) for name, panel in bench.by_name.items() if name != "cards"}
    assert found == PANELS
    assert layout_of(bench).splitlines()[0] == "column 10 2 10 4"


def check_the_cards_have_a_headline_buttons_a_bar_a_line_and_a_strip(window: MainWindow) -> None:
    cards = window.bench.alternatives
    badge = advance(cards.badge.badge.text, 12) + 30
    line = cards.condition.parentWidget().height()  # of the font that there was when it was made
    assert 14 <= line <= 22
    assert (
        layout_of(cards)
        == f"""column 16 8 16 6, 4 apart
  row, 8 apart
    Label headline
    ElidedLabel subtitle 1
    TrustLabel, at least {badge}x22, at most {badge}x22
    free
    Button quiet, at least 32x32, at most 32x32
    Button quiet, at least 32x32, at most 32x32
    space 4
    Button primary, at least 150x0
    Button primary, hidden
  MassBar, at least 0x8, at most ∞x8
  QWidget, at least 0x{line}, at most ∞x{line}
    row 0 0 0 0
      ElidedLabel subtitle, hidden
      ElidedLabel, hidden
  Message message wraps 1, hidden
  ScrollArea 1, at least 0x144
"""
    )
    strip = layout_of(cards.strip).splitlines()
    assert strip[0] == "row 0 2 0 0, 10 apart"
    assert strip[-1] == "  free 1"


ACTIVITY = """\
      row 0 0 0 0, 10 apart
        Label
        QProgressBar, at least 240x6, at most 240x6
        Label
        Button quiet
"""


def check_pages_before_a_project_is_open(window: MainWindow) -> None:
    buttons = "      QPushButton primary, at least 170x40\n"
    buttons += 3 * "      QPushButton, at least 170x40\n"
    assert (
        layout_of(window.start)
        == f"""column
  free 2
  column, 10 apart
    Label
    Label hero
    Label lead
    space 18
    row, 12 apart
      free 1
{buttons}      free 1
    Label message
    space 14
    ActivityWidget, hidden
{ACTIVITY}    QWidget
      column 0 0 0 0, 1 apart
  free 3
"""
    )
    assert (
        layout_of(window.sorting)
        == f"""column 18 14 18 14, 10 apart
  row, 10 apart
    ElidedLabel headline 1
    ActivityWidget, hidden
{ACTIVITY}  Label
  Label subtitle wraps
  row 1, 10 apart
    QFrame panel 5
      column 12 8 12 10
        row
          Label panelTitle
          free 1
        ActivityOverTime 1, at least 260x160
        Message message wraps 1
    QFrame panel 6
      column 12 8 12 10
        row
          Label panelTitle
          ElidedLabel panelNote 1
        UnitTiles 1, at least 216x92
        Message message wraps 1
"""
    )


def check_the_window_is_a_banner_a_page_and_a_line_for_commands(window: MainWindow) -> None:
    outer = [line for line in told_layout(window.centralWidget()) if not line.startswith("      ")]
    assert outer == [
        "column 0 0 0 0, 0 apart",
        "  Banner banner, hidden",
        "    row 14 8 8 8, 12 apart",
        "  QStackedWidget 1",
        "    stacked",
        "  SnippetLine snippets, hidden",
        "    column 14 4 14 4, 4 apart",
    ]
    assert told_layout(window.banner)[1:] == ["  Label wraps 1", "  QPushButton", "  Button quiet"]
    assert (window.minimumWidth(), window.minimumHeight()) == (960, 600)
    window.show_tour()
    assert (
        layout_of(window.tour)
        == """column 18 14 14 12, 8 apart
  Label headline
  Label wraps
  row, 8 apart
    Label subtitle
    free 1
    Button quiet
    Button primary
"""
    )
    window.tour.leave()
    assert told_layout(window.commands.palette) == [
        "column 10 10 10 10", "  CommandLine, at least 0x30", "  Label message", "  QListView",
    ]  # fmt: skip


def check_panels_share_the_window(window: MainWindow) -> None:
    assert {name: splitter.permille() for name, splitter in window.bench.splitters.items()} == {
        "left": [239, 507, 254],  # 32, 68 and 34 shares
        "maps": [480, 520],
        "tables": [449, 275, 275],  # 62, 38 and 38
        "right": [660, 340],
        "views": [450, 550],
        "alike": [276, 197, 263, 263],  # 42, 30, 40 and 40
        "over time": [500, 500],
        "evidence": [450, 550],
        "below": [740, 260],
        "main": [330, 670],
        "all": [190, 810],
    }
    window.bench.show_layout("inspect")
    shares = [window.bench.splitters[name].permille() for name in ("below", "views")]
    assert shares == [[400, 600], [600, 400]]


def test_dialogs_are_laid_out_alike(qtbot, theme, tmp_path: Path, small_project) -> None:
    parent = QtWidgets.QWidget()
    parent.resize(900, 630)
    dialogs = (
        shown_export(qtbot, small_project, tmp_path),
        KeysDialog(parent, LIGHT, keymap_from(ACTIONS, "phy", {})),
        OpenRecordingDialog(None, Immediate(), path=""),
        ReviewRecordingDialog(None, ReviewRequest(tmp_path / "phy")),
    )
    for dialog in (parent, dialogs[2], dialogs[3]):
        qtbot.addWidget(dialog)
    export, keys, recording, review = ([line.rstrip() for line in told_layout(one)] for one in dialogs)
    n_formats = len(dialogs[0].choices)
    assert export == [
        "column 24 18 24 18", "  free",
        *(["  QRadioButton", "  Label subtitle wraps", "  space 4"] * n_formats),
        "  space 6", "  row", "    Label", "    QDoubleSpinBox, at least 0x30", "    free 1", "  QCheckBox",
        "  row", "    QLineEdit 1, at least 0x30", "    QPushButton", "  Label wraps", "  space 8",
        *export[-5:],
    ]  # fmt: skip
    assert keys[:8] == [
        "column 22 16 12 14", "  row", "    Label", "    QComboBox", "    space 10", "    QLineEdit 1",
        "    QPushButton", "    QPushButton",
    ]  # fmt: skip
    assert (dialogs[1].width(), dialogs[1].height()) == (760, 630), "no larger than the window"
    width = QtWidgets.QLineEdit().fontMetrics().horizontalAdvance
    wide = [width(example) + LINE_MARGINS_PX for example in ("e.g. 20000", "e.g. 49")]
    assert recording == RECORDING.format(*wide).splitlines()
    assert review == REVIEW.splitlines()


def check_a_wide_window_has_more_panels(window: MainWindow) -> None:
    window.bench.show_layout("decide")
    for width, names in ((1199, set()), (1200, {"correlograms"}), (1700, {"correlograms", "features"})):
        window.bench.resize(width, 800)
        assert {"correlograms", "features"} & {*window.bench.shown} == names


def test_the_window_is_laid_out_as_a_person_first_sees_it(array_window) -> None:
    """One window for all, which takes half a second to make."""
    check_panels_have_a_head_a_message_and_what_they_draw(array_window)
    check_the_cards_have_a_headline_buttons_a_bar_a_line_and_a_strip(array_window)
    check_pages_before_a_project_is_open(array_window)
    check_the_window_is_a_banner_a_page_and_a_line_for_commands(array_window)
    check_panels_share_the_window(array_window)
    check_a_wide_window_has_more_panels(array_window)
