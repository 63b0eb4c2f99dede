"""Several processes take the steps of one, and stop together."""

from __future__ import annotations

import json
import os
import socket
from dataclasses import replace

import pytest
import torch

from ncpgui.core.config import to_dict
from ncpgui.core.errors import InputError
from ncpgui.engine.training import processes as several
from ncpgui.engine.training.loop import train
from ncpgui.engine.training.processes import Processes, joined
from ncpgui.engine.training.resume import read_state, resume_path
from tests.forked import run_forked

# Becomes two processes that tell every loss; the second leaves the run after its fourth step.
PROGRAM = """
import json, os, sys
second = os.fork()
os.environ["RANK"] = os.environ["LOCAL_RANK"] = rank = "0" if second else "1"
sys.stdout = open(f"told-{rank}", "w")
from contextlib import closing
from pathlib import Path
from ncpgui.core.config import from_dict
from ncpgui.core.progress import Cancelled
from ncpgui.engine.training.config import TrainConfig
from ncpgui.engine.training.loop import train
from ncpgui.engine.training.processes import joined
config = from_dict(TrainConfig, json.loads(sys.argv[1]))
with joined("cpu") as processes:
    try:
        with closing(train(config, out=Path(sys.argv[2]), processes=processes)) as steps:
            for step in steps:
                print(json.dumps([step.loss, step.accuracy, step.validation is not None]))
                if processes.rank == 1 and step.step == 4:
                    break
    except Cancelled:
        print(json.dumps("stopped"))
def name_if_alive(task):
    try:
        comm, rest = (task / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
    except OSError:  # gone since it was listed
        return ""
    exiting = int(rest.split()[6]) & 0x4  # PF_EXITING: joined, and still listed on a busy machine
    return "" if exiting else comm
threads = [name_if_alive(task) for task in Path("/proc/self/task").iterdir()]
print(json.dumps([name for name in threads if "gloo" in name or "store" in name]))
if second:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(second, 0)[1]))
"""


def test_two_processes_take_the_steps_of_one_with_the_whole_batch_and_stop_together(tmp_path, tiny):
    config = replace(tiny, steps=6, validate_steps=2)
    alone = list(train(config, out=tmp_path / "alone.safetensors"))
    out = tmp_path / "together.safetensors"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    world = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "OMP_NUM_THREADS": "1"}
    ran = run_forked(
        PROGRAM, json.dumps(to_dict(config)), out, needs="training", cwd=tmp_path, env=os.environ | world
    )
    assert ran.returncode == 0, ran.stderr
    told = [
        [json.loads(line) for line in (tmp_path / f"told-{rank}").read_text().splitlines()]
        for rank in range(2)
    ]
    left_over = [lines.pop() for lines in told]
    assert left_over == [[], []]  # a thread of gloo that is alive while Python ends can abort the process
    first, second = told
    assert first[-1] == "stopped"
    assert [(loss, accuracy) for loss, accuracy, _ in first[:-1]] == [row[:2] for row in map(tuple, second)]
    for found, expected in zip(first[:-1], alone[:4], strict=True):
        assert found[0] == pytest.approx(expected.loss, rel=1e-5)
        assert found[1] == pytest.approx(expected.accuracy, rel=1e-5)
    assert [scored for *_, scored in first[:-1]] == [False, True, False, True]
    assert [scored for *_, scored in second] == [False] * 4  # the first does it for all
    state = read_state(resume_path(out))
    assert state["step"] == 4
    going_on = [step.loss for step in train(config, out=out, resume=True)]
    assert going_on == pytest.approx([step.loss for step in alone[4:]], rel=1e-4)


def test_datasets_that_do_not_divide_by_the_processes_are_refused_with_a_number_that_does(tmp_path, tiny):
    assert [Processes(rank, 2).share(4) for rank in range(2)] == [slice(0, 2), slice(2, 4)]
    with pytest.raises(InputError, match="got 4 datasets for 3 processes; set it to 3, or start another"):
        next(train(tiny, out=tmp_path / "run.safetensors", processes=Processes(0, 3)))
    with pytest.raises(InputError, match="set it to 8"):
        Processes(0, 8).share(4)


def test_without_torchrun_there_is_one_process():
    with joined("cpu") as processes:
        assert processes == Processes(0, 1, torch.device("cpu"))
        assert processes.is_first


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The second of two processes, on a machine with two GPUs; which of them it took, and how it joined."""
    taken: list[str] = []
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("LOCAL_RANK", "1")
    monkeypatch.setattr(several, "resolve_device", torch.device)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", lambda device: taken.append(str(device)))
    monkeypatch.setattr(several.distributed, "init_process_group", lambda kind, **_: taken.append(kind))
    monkeypatch.setattr(several.distributed, "get_rank", lambda: 1)
    monkeypatch.setattr(several.distributed, "get_world_size", lambda: 2)
    monkeypatch.setattr(several.distributed, "destroy_process_group", lambda: taken.append("left"))
    return taken


def test_each_process_takes_its_own_gpu(two_gpus: list[str]) -> None:
    with joined("cuda") as processes:
        assert processes == Processes(1, 2, torch.device("cuda", 1))
        assert two_gpus == ["cuda:1", "nccl"]
    assert two_gpus[2:] == ["left"]
    two_gpus.clear()
    with joined("cpu") as processes:
        assert two_gpus == ["gloo"]


def test_one_gpu_for_two_processes_is_refused(two_gpus: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="'cuda:0' is one GPU, and there are 2 processes"), joined("cuda:0"):
        pass
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    with pytest.raises(InputError, match="needs its own GPU, and torch finds 1;"), joined("cuda"):
        pass
    assert two_gpus == []
