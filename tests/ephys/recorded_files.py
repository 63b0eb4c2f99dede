"""Small recordings as acquisition programs write them: sample s of channel c is 10 s + c."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

N_SAMPLES = 200


def ramp(n_channels: int, n_samples: int = N_SAMPLES, start: int = 0) -> NDArray[np.int64]:
    """(n_samples, n_channels) numbers that say where they are."""
    return (start + np.arange(n_samples))[:, None] * 10 + np.arange(n_channels)


def spikeglx(
    folder: Path, *, trigger: int = 0, streams: tuple[str, ...] = ("ap", "lf"), probe: int = 0, start: int = 0
) -> Path:
    """A run of SpikeGLX: a Neuropixels 1.0 probe of which 4 channels were saved, and the sync channel."""
    for kind in streams:
        name = f"run_g0_t{trigger}.imec{probe}.{kind}"
        traces = ramp(5, start=start).astype("<i2")
        folder.mkdir(parents=True, exist_ok=True)
        traces.tofile(folder / f"{name}.bin")
        rate = 30_000 if kind == "ap" else 2_500
        first = "4,0,1" if kind == "ap" else "0,4,1"
        names = [f"{kind.upper()}{c};{c}:{c}" for c in range(4)] + ["SY0;768:768"]
        rows = [f"{c} 0 0 500 250 1" for c in range(384)]
        saved = "0:3,768" if kind == "ap" else "384:387,768"
        lines = {
            "acqApLfSy": "384,384,1",
            "fileName": f"D:/data/{name}.bin",
            "fileSizeBytes": traces.nbytes,
            "fileTimeSecs": N_SAMPLES / rate,
            "firstSample": 0,
            "imAiRangeMax": 0.6,
            "imAiRangeMin": -0.6,
            "imDatPrb_pn": "NP1010",
            "imDatPrb_sn": "1",
            "imDatPrb_type": 0,
            "imSampRate": rate,
            "nSavedChans": 5,
            "snsApLfSy": first,
            "snsSaveChanSubset": saved,
            "typeThis": "imec",
            "~imroTbl": "(0,384)" + "".join(f"({row})" for row in rows),
            "~snsChanMap": "(384,384,1)" + "".join(f"({n.replace(';', ';')})" for n in names),
        }
        text = "\n".join(f"{key}={value}" for key, value in lines.items())
        (folder / f"{name}.meta").write_text(text + "\n", encoding="utf-8")
    return folder


def open_ephys_binary(
    folder: Path, streams: tuple[tuple[str, float], ...] = (("AP", 30_000.0),), recordings: int = 1
) -> Path:
    """A folder of Open Ephys in its binary format, 4 channels a stream."""
    for number in range(1, recordings + 1):
        place = folder / "Record Node 101" / "experiment1" / f"recording{number}"
        described = []
        for name, rate in streams:
            data = place / "continuous" / f"Probe-100.{name}"
            data.mkdir(parents=True)
            ramp(4).astype("<i2").tofile(data / "continuous.dat")
            np.save(data / "sample_numbers.npy", np.arange(N_SAMPLES))
            np.save(data / "timestamps.npy", np.arange(N_SAMPLES) / rate)
            described.append(
                {
                    "folder_name": f"Probe-100.{name}/",
                    "sample_rate": rate,
                    "source_processor_name": "Probe",
                    "source_processor_id": 100,
                    "stream_name": name,
                    "recorded_processor": "Record Node",
                    "recorded_processor_id": 101,
                    "num_channels": 4,
                    "channels": [
                        {"channel_name": f"CH{c + 1}", "bit_volts": 0.195, "units": "uV"} for c in range(4)
                    ],
                }
            )
        structure = {"GUI version": "0.6.0", "continuous": described, "events": [], "spikes": []}
        (place / "structure.oebin").write_text(json.dumps(structure), encoding="utf-8")
    return folder


def open_ephys_legacy(folder: Path, n_blocks: int = 2) -> Path:
    """A folder of Open Ephys in its first format: a file for each of 4 channels, blocks of 1024 samples."""
    folder.mkdir(parents=True)
    marker = bytes([0, 1, 2, 3, 4, 5, 6, 7, 8, 255])
    for channel in range(4):
        header = (
            "header.format = 'Open Ephys Data Format';\nheader.version = 0.4;\n"
            "header.header_bytes = 1024;\nheader.description = '';\n"
            "header.date_created = '1-Jan-2020 120000';\n"
            f"header.channel = 'CH{channel + 1}';\nheader.channelType = 'Continuous';\n"
            "header.sampleRate = 30000;\nheader.blockLength = 1024;\nheader.bufferSize = 1024;\n"
            "header.bitVolts = 0.195;\n"
        )
        content = header.encode("ascii").ljust(1024, b" ")
        traces = ramp(4, n_blocks * 1024).astype(">i2")[:, channel]
        for block in range(n_blocks):
            content += struct.pack("<qHH", block * 1024, 1024, 0)
            content += traces[block * 1024 : (block + 1) * 1024].tobytes() + marker
        (folder / f"100_CH{channel + 1}.continuous").write_bytes(content)
    return folder


def neuroscope(folder: Path) -> Path:
    """A ``.dat`` of 4 channels with the ``.xml`` of Neuroscope beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    ramp(4).astype("<i2").tofile(folder / "session.dat")
    channels = "".join(f'<channel skip="0">{c}</channel>' for c in range(4))
    (folder / "session.xml").write_text(
        "<?xml version='1.0'?><parameters><acquisitionSystem><nBits>16</nBits><nChannels>4</nChannels>"
        "<samplingRate>20000</samplingRate><voltageRange>20</voltageRange><amplification>1000</amplification>"
        "<offset>0</offset></acquisitionSystem><fieldPotentials><lfpSamplingRate>1250</lfpSamplingRate>"
        f"</fieldPotentials><anatomicalDescription><channelGroups><group>{channels}</group></channelGroups>"
        "</anatomicalDescription></parameters>",
        encoding="utf-8",
    )
    return folder / "session.dat"


def mcs(path: Path) -> Path:
    """An HDF5 file of Multi Channel Systems with two analog streams, of 3 and of 1 channel."""
    import h5py

    kind = np.dtype(
        [
            ("ChannelID", "i4"), ("Label", "S8"), ("Unit", "S4"), ("Exponent", "i4"), ("ADZero", "i4"),
            ("Tick", "i8"), ("ConversionFactor", "i8"),
        ]
    )  # fmt: skip
    with h5py.File(path, "w") as file:
        for number, n_channels in ((0, 3), (1, 1)):
            stream = file.require_group(f"Data/Recording_0/AnalogStream/Stream_{number}")
            info = np.zeros(n_channels, kind)
            info["ChannelID"], info["Unit"], info["Label"] = np.arange(n_channels), b"V", b"E"
            info["Exponent"], info["Tick"], info["ConversionFactor"] = -12, 50, 100_000
            stream["InfoChannel"] = info
            stream["ChannelData"] = ramp(n_channels).T.astype("i4")
            stream["ChannelDataTimeStamps"] = np.array([[0, 0, N_SAMPLES - 1]])
    return path


def intan_header() -> bytes:
    """Header of an RHD2000 file, version 3.0: 2 amplifier channels and one auxiliary input."""

    def text(words: str) -> bytes:
        return struct.pack("<I", 2 * len(words)) + words.encode("utf-16-le")

    def channel(name: str, order: int, kind: int) -> bytes:
        numbers = struct.pack("<10hff", order, order, kind, 1, order, 0, 0, 0, 0, 0, 1, 1)
        return text(name) + text(name) + numbers

    header = struct.pack("<I2h", 0xC6912702, 3, 0) + struct.pack("<f", 20_000)
    header += struct.pack("<h6f", 1, 1, 0.1, 7_500, 1, 0.1, 7_500)  # filters asked for and had
    header += struct.pack("<h2f", 0, 1_000, 1_000)  # notch, impedance test
    header += text("") * 3 + struct.pack("<2h", 0, 0) + text("")  # notes, sensors, board, reference
    header += struct.pack("<h", 1)  # groups of channels
    header += text("Port A") + text("A") + struct.pack("<3h", 1, 3, 2)
    return header + channel("A-000", 0, 0) + channel("A-001", 1, 0) + channel("A-AUX1", 0, 1)


def intan(path: Path, start: int = 0) -> Path:
    """One file with header and two blocks of 128 samples; numbers are 32768 higher."""
    content = intan_header()
    for block in range(2):
        first = start + 128 * block
        content += np.arange(first, first + 128, dtype="<i4").tobytes()
        content += (ramp(2, 128, first) + 32_768).T.astype("<u2").tobytes()
        content += np.zeros(32, "<u2").tobytes()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def intan_signals(folder: Path) -> Path:
    """A folder with a file for the header and one for each kind of signal."""
    folder.mkdir(parents=True)
    (folder / "info.rhd").write_bytes(intan_header())
    np.arange(N_SAMPLES, dtype="<i4").tofile(folder / "time.dat")
    ramp(2).astype("<i2").tofile(folder / "amplifier.dat")
    np.zeros(N_SAMPLES, "<u2").tofile(folder / "auxiliary.dat")
    return folder


def blackrock(path: Path) -> Path:
    """An ``.ns6`` file, version 2.2: 3 channels at 30 kHz."""
    header = b"NEURALCD" + struct.pack("<2BI", 2, 2, 314 + 3 * 66) + b"30 kS/s".ljust(16, b"\0")
    header += bytes(256) + struct.pack("<2I8HI", 1, 30_000, 2020, 1, 3, 1, 12, 0, 0, 0, 3)
    for channel in range(3):
        header += b"CC" + struct.pack("<H", channel + 1) + f"e{channel}".encode().ljust(16, b"\0")
        header += struct.pack("<2B4h", 0, channel, -32_764, 32_764, -8_191, 8_191) + b"uV".ljust(16, b"\0")
        header += struct.pack("<2IH2IH", 300, 3, 1, 7_500_000, 3, 1)
    path.parent.mkdir(parents=True, exist_ok=True)
    data = struct.pack("<BII", 1, 0, N_SAMPLES) + ramp(3).astype("<i2").tobytes()
    path.write_bytes(header + data)
    return path


def acquisition_board(folder: Path, *, ni_daq: bool = False, adc: bool = False) -> Path:
    """A folder of Open Ephys: an Acquisition Board of 4 electrodes, a NI-DAQ device of 4 inputs, an ADC."""
    place = folder / "Record Node 101" / "experiment1" / "recording1"
    board = [{"channel_name": f"CH{c + 1}", "bit_volts": 0.195, "units": "uV"} for c in range(4)]
    if adc:
        board.append({"channel_name": "ADC1", "bit_volts": 0.00015, "units": "V"})
    inputs = [{"channel_name": f"AI{c}", "bit_volts": 0.00015, "units": "V"} for c in range(4)]
    streams = [("Acquisition_Board-100.Rhythm_Data", "Acquisition Board", 100, board)]
    if ni_daq:
        streams.append(("NI-DAQmx-102.PXIe-6341", "NI-DAQmx", 102, inputs))
    described = []
    for name, processor, number, channels in streams:
        data = place / "continuous" / name
        data.mkdir(parents=True)
        ramp(len(channels)).astype("<i2").tofile(data / "continuous.dat")
        np.save(data / "sample_numbers.npy", np.arange(N_SAMPLES))
        np.save(data / "timestamps.npy", np.arange(N_SAMPLES) / 30_000)
        described.append(
            {
                "folder_name": f"{name}/",
                "sample_rate": 30_000,
                "source_processor_name": processor,
                "source_processor_id": number,
                "stream_name": name.partition(".")[2],
                "recorded_processor": "Record Node",
                "recorded_processor_id": 101,
                "num_channels": len(channels),
                "channels": channels,
            }
        )
    structure = {"GUI version": "0.6.4", "continuous": described, "events": [], "spikes": []}
    (place / "structure.oebin").write_text(json.dumps(structure), encoding="utf-8")
    return folder
