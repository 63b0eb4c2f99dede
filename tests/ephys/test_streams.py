"""The stream of electrodes is told from others by whole words of its name and by its unit, and is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from ephys import recorded_files as recorded

from ncpgui.core.errors import SeveralStreamsError
from ncpgui.ephys.readers import available_streams, open_recording
from ncpgui.ephys.streams import Stream, chosen_stream, words_of

pytestmark = pytest.mark.filterwarnings("ignore")
HERE = Path("run")


def stream(name: str, unit: str = "", n_channels: int = 4, rate: float = 30_000.0) -> Stream:
    return Stream(name, n_channels, rate, unit)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Record Node 101#Acquisition_Board-100.Rhythm_Data", "record node acquisition board rhythm data"),
        ("USB board ADC input channel", "usb board adc input channel"),
        ("imec0.ap-SYNC", "imec ap sync"),
        ("Broadcast_Podcast", "broadcast podcast"),
        ("AuxInput2", "auxinput aux input"),
    ],
)
def test_words_are_whole(name: str, words: str) -> None:
    assert words_of(name) == set(words.split())


@pytest.mark.parametrize(
    "name",
    [
        "Record Node 101#Acquisition_Board-100.Rhythm_Data", "OneBox-100.ProbeA", "acquisition/Keyboard",
        "Broadcast", "Asynchronous-AP", "Auxerre", "Headstage_Padcx", "RHD2000 amplifier channel", "imec0.ap",
    ],
)  # fmt: skip
def test_a_word_within_another_says_nothing(name: str) -> None:
    assert stream(name).may_hold_spikes


@pytest.mark.parametrize(
    "name",
    [
        "Record Node 101#Acquisition_Board-100.Rhythm_Data_ADC", "USB board ADC input channel", "nidq",
        "USB board digital output channel", "RHD2000 supply voltage channel", "imec0.ap-SYNC", "obx0", "AUX1",
        "Record Node 101#NI-DAQmx-102.PXIe-6341", "RHD2000 auxiliary input channel", "Stim channel",
        "imec0.lf",
    ],
)  # fmt: skip
def test_a_whole_word_of_other_signals_tells_them(name: str) -> None:
    assert not stream(name).may_hold_spikes
    assert chosen_stream([stream(name), stream("Electrodes")], None, HERE) == stream("Electrodes")
    assert chosen_stream([stream(name)], None, HERE) == stream(name)  # the only one is no choice


def test_beside_electrodes_in_microvolts_inputs_in_volts_are_not_meant() -> None:
    for micro in ("uV", "\u00b5V", "\u03bcV"):
        pair = [stream("A", micro), stream("B", "V")]
        assert chosen_stream(pair, None, HERE) == pair[0]
    both = [stream("A", "V"), stream("B", "V")]
    with pytest.raises(
        SeveralStreamsError, match=r"choose one \(--stream\): 'A' \(4 channels at 30 kHz\), 'B'"
    ):
        chosen_stream(both, None, HERE)
    with pytest.raises(SeveralStreamsError):
        chosen_stream([stream("A", "uV"), stream("B", "")], None, HERE)


def test_a_stream_that_is_asked_for_is_taken_whatever_it_is_called() -> None:
    streams = [stream("Board", "uV"), stream("nidq", "V")]
    assert chosen_stream(streams, "nidq", HERE) == streams[1]


@pytest.mark.parametrize("beside", ["ni_daq", "adc"])
def test_the_electrodes_of_an_acquisition_board_are_read_and_that_is_said(
    tmp_path: Path, beside: str
) -> None:
    folder = recorded.acquisition_board(tmp_path / "oe", **{beside: True})
    assert len(available_streams(folder)) == 2
    recording = open_recording(folder, probe="linear-4")
    np.testing.assert_array_equal(recording.traces(4, 6), recorded.ramp(5 if beside == "adc" else 4)[4:6, :4])
    (note,) = recording.notes
    assert note.startswith(
        "the stream that is read is 'Record Node 101#Acquisition_Board-100.Rhythm_Data' "
        "(4 channels at 30 kHz); not read: 'Record Node 101#"
    )
    assert recording.reference.options["stream"] == "Record Node 101#Acquisition_Board-100.Rhythm_Data"


def test_a_stream_that_was_asked_for_is_said_too(tmp_path: Path) -> None:
    folder = recorded.acquisition_board(tmp_path / "oe", ni_daq=True)
    recording = open_recording(folder, stream="NI-DAQ", probe="linear-4")
    assert "that is read is 'Record Node 101#NI-DAQmx-102.PXIe-6341'" in recording.notes[0]


def test_where_there_is_one_stream_nothing_is_said(tmp_path: Path) -> None:
    assert open_recording(recorded.acquisition_board(tmp_path / "oe"), probe="linear-4").notes == ()
