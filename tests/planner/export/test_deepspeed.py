"""DeepSpeed: files read as what they mean, unknown keys refused, and what stands in the training script."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scalewall.errors import InputError
from scalewall.planner.export import Imported, export_plan, import_plan
from scalewall.planner.layout import Layout
from tests.planner.samples import BRIDGE, DENSE, dense_run


def read(document: object) -> Imported:
    text = document if isinstance(document, str) else json.dumps(document)
    return import_plan("deepspeed", text, DENSE, 64)


def test_a_file_as_people_write_it() -> None:
    found = read(
        {
            "train_batch_size": 256,
            "train_micro_batch_size_per_gpu": 2,
            "gradient_accumulation_steps": 4,
            "gradient_clipping": 1.0,
            "bf16": {"enabled": True},
            "fp16": {"enabled": False, "loss_scale": 0},
            "optimizer": {"type": "AdamW", "params": {"lr": 3e-4, "anything": 1}},
            "zero_optimization": {"stage": 3, "overlap_comm": True, "stage3_max_live_parameters": 1e9},
        }
    )
    assert found.values == {
        "global_batch": 256, "microbatch": 2, "dp": 32, "sharding": "parameters", "tp": 1, "precision": "bf16",
    }  # fmt: skip
    assert set(found.without_effect) == {"gradient_clipping", "fp16.loss_scale", "optimizer"}
    assert set(found.by_profile) == {
        "zero_optimization.overlap_comm",
        "zero_optimization.stage3_max_live_parameters",
    }


@pytest.mark.parametrize(
    ("stage", "sharding"), [(0, "none"), (1, "optimizer"), (2, "gradients"), (3, "parameters")]
)
def test_stages(stage: int, sharding: str) -> None:
    assert read({"zero_optimization": {"stage": stage}}).values["sharding"] == sharding


def test_what_the_trainer_fills_in_stays_open() -> None:
    found = read({"train_batch_size": "auto", "bf16": {"enabled": "auto"}, "zero_optimization": {"stage": 2}})
    assert "global_batch" not in found.values
    assert "precision" not in found.values
    assert len(found.notes) == 2


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"train_batchsize": 8}, ("train_batch_size",)),
        ({"zero_optimization": {"stage": 4}}, ("0, 1, 2 or 3",)),
        ({"zero_optimization": {"stage": 1, "overlap": True}}, ("zero_optimization.overlap_comm",)),
        (
            {"train_batch_size": 30, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2},
            ("4 x 2",),
        ),
        ({"train_batch_size": 0}, ("at least 1",)),
        ([], ("object",)),
        ("{", ("JSON",)),
        ('{"train_batch_size": 8, "train_batch_size": 8}', ("JSON", "twice")),
        ('{"train_batch_size": NaN}', ("JSON", "NaN")),
        ('{"train_batch_size": ' + "9" * 5000 + "}", ("JSON",)),
        ("[" * 100_000, ("JSON",)),
        ({"zero_optimization": {"stage": 1.0}}, ("0, 1, 2 or 3",)),
        ({"bf16": {"enabled": "false"}}, ("bf16.enabled", "true or false")),
        ({"bf16": {"enabled": True}, "fp16": {"enabled": True}}, ("fp16.enabled",)),
    ],
)
def test_bad_files(document: object, words: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as caught:
        read(document)
    for word in words:
        assert word in str(caught.value)


def test_what_it_writes() -> None:
    layout = Layout(tp=2, dp=8, sharding="gradients", microbatch=2)
    document: dict[str, Any] = json.loads(export_plan("deepspeed", dense_run(), layout, BRIDGE).text)
    assert document["train_batch_size"] == 64
    assert document["gradient_accumulation_steps"] == 4
    assert document["zero_optimization"]["stage"] == 2
    assert document["tensor_parallel"] == {"autotp_size": 2}


def test_what_stands_in_the_training_script_is_noted() -> None:
    layout = Layout(pp=2, cp=2, dp=2, schedule="zb-1p", recompute="full")
    noted = {note.knob for note in export_plan("deepspeed", dense_run(), layout, BRIDGE).notes}
    assert noted >= {"sequence", "pp", "cp", "schedule", "recompute"}
    interleaved = export_plan("deepspeed", dense_run(), Layout(pp=2, dp=2, chunks=2), BRIDGE)
    assert "chunks" in {note.knob for note in interleaved.notes}
