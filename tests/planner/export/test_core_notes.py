"""What Megatron-Core refuses is said where a plan is written for it."""

from __future__ import annotations

import pytest

from scalewall.planner.export import export_plan
from scalewall.planner.layout import Layout
from scalewall.planner.run import Run
from scalewall.workload.models import read_model
from tests.planner.samples import BRIDGE, dense_run, mixture_run

INTERLEAVED = Layout(tp=2, pp=4, chunks=2, dp=2)


@pytest.mark.parametrize("framework", ["megatron", "nemo"])
@pytest.mark.parametrize(
    ("run", "layout", "knob", "words"),
    [
        (dense_run(global_batch=12), INTERLEAVED, "chunks", "a multiple of 4 microbatches, and there are 6"),
        (dense_run(graphs="full"), Layout(dp=4, recompute="full"), "graphs", "full recomputation"),
        (dense_run(graphs="full"), Layout(dp=4, offloaded_layers=8), "graphs", "offloaded activations"),
        (dense_run(), Layout(offloaded_layers=8, recompute="selective"), "offloaded_layers", "recomputation"),
        (dense_run(), Layout(offloaded_layers=32), "offloaded_layers", "at least one layer"),
        (mixture_run(), Layout(tp=2, sequence_parallel=False), "sequence_parallel", "tensor parallelism"),
        (mixture_run(expert_overlap=True), Layout(dp=4), "expert_overlap", "without expert parallelism"),
        (mixture_run(expert_overlap=True), Layout(pp=2, dp=4, ep=4), "expert_overlap", "not interleaved"),
        (
            mixture_run(expert_overlap=True),
            Layout(dp=4, ep=4, recompute="full"),
            "expert_overlap",
            "full recomputation",
        ),
    ],
)
def test_refusals(framework: str, run: Run, layout: Layout, knob: str, words: str) -> None:
    notes = export_plan(framework, run, layout, BRIDGE).notes
    found = [note.words for note in notes if note.knob == knob and "refused" in note.words]
    assert any(words in one for one in found)


@pytest.mark.parametrize("framework", ["megatron", "nemo"])
def test_what_it_runs_is_not_refused(framework: str) -> None:
    for run, layout in (
        (dense_run(), INTERLEAVED),
        (dense_run(graphs="full"), Layout(dp=4, recompute="selective")),
        (dense_run(), Layout(dp=4, offloaded_layers=8)),
        (mixture_run(expert_overlap=True), Layout(pp=2, chunks=2, dp=4, ep=4)),
    ):
        assert not [
            note for note in export_plan(framework, run, layout, BRIDGE).notes if "refused" in note.words
        ]


def test_positions_are_those_of_the_model() -> None:
    rotary = export_plan("megatron", dense_run(), Layout(), BRIDGE)
    assert "--position-embedding-type rope" in rotary.text
    assert any("ALiBi" in note.words for note in rotary.notes)
    learned = dense_run(model=read_model("gpt3-175b").model, sequence=2048)
    written = export_plan("megatron", learned, Layout(), BRIDGE)
    assert "--position-embedding-type" not in written.text
    assert not any("ALiBi" in note.words for note in written.notes)


@pytest.mark.parametrize(
    ("framework", "words"),
    [("megatron", "--no-gradient-accumulation-fusion"), ("nemo", "ddp.average_in_collective=false")],
)
def test_fully_sharded_runs_have_what_their_guide_requires(framework: str, words: str) -> None:
    assert words in export_plan(framework, dense_run(), Layout(dp=4, sharding="parameters"), BRIDGE).text
    assert words not in export_plan(framework, dense_run(), Layout(dp=4), BRIDGE).text
