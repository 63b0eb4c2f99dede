"""Actions of the menu File: recordings and sessions are opened, saved, exported, written back."""

from __future__ import annotations

from ncpgui.app.action import Action, Condition, Context, On, has_project
from ncpgui.app.work.reviewing import is_reviewed, write_back, write_back_question


def _save(context: Context) -> None:
    if context.controller.saving.path is None:
        context.window.ask_save_as()
    else:
        context.controller.save()


def _write_back(context: Context) -> None:
    if context.window.confirm(write_back_question(context.workspace)):
        write_back(context.workspace, context.controller.work)


FILE_ACTIONS: tuple[Action, ...] = (
    Action(
        "open", "Open recording…", ("Ctrl+O",), "File",
        "Open a recording. Its spikes are found, and the ways to sort them are drawn.",
        On("window", "ask_open"), in_toolbar=True,
    ),
    Action(
        "open_session", "Open session…", ("Ctrl+Shift+O",), "File",
        "Go on with a saved session. Its journal restores what a crash would have lost.",
        On("window", "ask_session"),
    ),
    Action(
        "review", "Review another sorter's result…", ("Ctrl+Alt+O",), "File",
        "Open a folder of Phy, Kilosort or SpikeInterface. Its units stay as they are, and the queue asks "
        "about those that may be wrong.",
        On("window", "ask_review"),
    ),
    Action(
        "review_file", "Review the units of an NWB file…", (), "File",
        "Open an NWB file with the units of another program, and review them.",
        On("window", "ask_review_file"),
    ),
    Action(
        "open_demo", "Open the demo", (), "File",
        "A simulated 49-channel hexagonal array on a retina, sorted while you watch.",
        lambda c, _: c.controller.open_demo(c.controller.preferences.folder / "demo"),
    ),
    Action(
        "save", "Save session", ("Ctrl+S",), "File",
        "Write the session. Every action is in its journal already, whether you save or not.",
        lambda c, _: _save(c), has_project, in_toolbar=True, starts_section=True,
    ),
    Action(
        "save_as", "Save session as…", ("Ctrl+Shift+S",), "File",
        "Keep the session in another file from now on.",
        On("window", "ask_save_as"), has_project,
    ),
    Action(
        "export", "Export…", ("Ctrl+E", "X"), "File",
        "Write the current sorting for Phy, SpikeInterface, NWB, MATLAB, NumPy or as tables.",
        On("window", "ask_export"), has_project, in_toolbar=True,
    ),
    Action(
        "write_back", "Write decisions back…", (), "File",
        "Write units and labels into the reviewed folder, which keeps the files that are replaced.",
        lambda c, _: _write_back(c),
        Condition(
            lambda c: is_reviewed(c.workspace), "the open session is not a review of another sorter's folder"
        ),
    ),
    Action(
        "locate", "Locate recording…", (), "File", "Say where the recording is, if it has moved.",
        On("window", "ask_recording_place"), has_project,
    ),
    Action(
        "load_events", "Load events…", (), "File",
        "Read times of stimuli or behaviour, and see how units respond to them: .npz with seconds, .csv with "
        "the column time_s, or trials of .nwb.",
        On("window", "ask_events"), has_project,
    ),
    Action(
        "picture", "Save picture…", ("Ctrl+P",), "File", "Save the window as a PNG.",
        On("window", "save_picture"), has_project,
    ),
    Action(
        "close", "Close project", ("Ctrl+W",), "File", "Go back to the start page. Nothing is lost.",
        On("window", "close_project"), has_project, starts_section=True,
    ),
    Action(
        "quit", "Quit", ("Ctrl+Q",), "File",
        "Close the window. Nothing is lost.", On("window", "quit"),
    ),
)  # fmt: skip
