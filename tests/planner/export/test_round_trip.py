"""What is exported reads back as the same plan, but for what the notes name."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, get_args

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scalewall.errors import InputError
from scalewall.planner.export import FRAMEWORKS, KNOBS, export_plan, import_plan
from scalewall.planner.layout import SCHEDULES, Layout, Sharding
from scalewall.planner.run import Dispatcher, Graphs, Precision, Run, check_run
from scalewall.workload.models import model_names, read_model
from tests.planner.samples import BRIDGE, GB200, dense_run, mixture_run

_POWERS = st.sampled_from([1, 2, 4])
_RECOMPUTE = st.sampled_from(
    [
        ("none", ()),
        ("selective", ()),
        ("selective", ("core_attn",)),
        ("selective", ("mlp", "layernorm")),
        ("selective", ("op",)),
        ("full", ()),
    ]
)
_LAYOUT = {field.name for field in fields(Layout)}


@st.composite
def plans(draw: st.DrawFn) -> tuple[Run, Layout]:
    """Any plan that can be laid out, of a dense model or one with experts."""
    experts = draw(st.booleans())
    run = (mixture_run if experts else dense_run)(
        GB200,
        precision=draw(st.sampled_from(get_args(Precision))),
        graphs=draw(st.sampled_from(get_args(Graphs))),
        compiled=draw(st.booleans()),
        dispatcher=draw(st.sampled_from(get_args(Dispatcher))) if experts else "all-to-all",
        expert_overlap=draw(st.booleans()) if experts else False,
    )
    recompute, modules = draw(_RECOMPUTE)
    pp = draw(st.sampled_from([1, 2, 4]))
    try:
        layout = Layout(
            tp=draw(_POWERS),
            cp=draw(st.sampled_from([1, 2])),
            pp=pp,
            dp=draw(st.sampled_from([1, 2, 4, 8])),
            ep=draw(_POWERS) if experts else 1,
            etp=draw(_POWERS) if experts else 1,
            chunks=draw(st.sampled_from([1, 2, 4])) if pp > 1 else 1,
            microbatch=draw(st.sampled_from([1, 2])),
            schedule=draw(st.sampled_from(SCHEDULES)),
            sequence_parallel=draw(st.booleans()),
            sharding=draw(st.sampled_from(get_args(Sharding))),
            shard_ranks=draw(st.sampled_from([0, 1, 2, 4, 8])),
            recompute=recompute,  # type: ignore[arg-type]
            recompute_modules=modules,
            offloaded_layers=draw(st.sampled_from([0, 0, 8])) if pp == 1 else 0,
        )
        check_run(run, layout)
    except InputError:
        assume(False)
    return run, layout


def plan_of(values: dict[str, Any], run: Run) -> tuple[Run, Layout]:
    """Return the plan that knobs make."""
    of_run = {knob: value for knob, value in values.items() if knob not in _LAYOUT}
    layout = Layout(**{knob: value for knob, value in values.items() if knob in _LAYOUT})
    return replace(run, **of_run), layout


def knobs_of(run: Run, layout: Layout) -> dict[str, Any]:
    return {knob: getattr(layout if knob in _LAYOUT else run, knob) for knob in KNOBS}


@pytest.mark.parametrize("framework", FRAMEWORKS)
@settings(max_examples=150, deadline=None)
@given(plan=plans())
def test_export_then_import_is_the_same_plan(framework: str, plan: tuple[Run, Layout]) -> None:
    run, layout = plan
    exported = export_plan(framework, run, layout, BRIDGE)
    imported = import_plan(framework, exported.text, run.model, layout.ranks)
    asked = knobs_of(run, layout)
    open_ended = knobs_of(dense_run(GB200), Layout()) | {"dp": layout.dp, "sequence": run.sequence}
    noted = {note.knob for note in exported.notes}
    found = {}
    for knob, value in asked.items():
        said = imported.values.get(knob, open_ended[knob])
        assert said == value or knob in noted, f"{knob}: {said} for {value}\n{exported.text}"
        found[knob] = value if knob in noted else said
    assert plan_of(found, run) == (run, layout)


@pytest.mark.parametrize("framework", FRAMEWORKS)
@settings(max_examples=50, deadline=None)
@given(plan=plans())
def test_every_note_is_about_a_knob_that_differs_or_is_left_to_the_user(
    framework: str, plan: tuple[Run, Layout]
) -> None:
    exported = export_plan(framework, *plan, BRIDGE)
    for note in exported.notes:
        assert note.knob in {*KNOBS, "model", ""}
        assert note.words


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_model_of_the_registry_is_written_and_understood(framework: str) -> None:
    layout = Layout(pp=2, dp=8)
    for name in model_names():
        run = dense_run(model=read_model(name).model, sequence=2048)
        exported = export_plan(framework, run, layout, BRIDGE)
        values = import_plan(framework, exported.text, run.model, layout.ranks).values
        assert values.get("pp", 2) == 2, name
        assert values["microbatch"] == 1, name


@pytest.mark.parametrize("framework", FRAMEWORKS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_damaged_configuration_is_read_or_refused(framework: str, data: st.DataObject) -> None:
    """Cut somewhere, and with something else put there: never anything but an answer or an error for people."""
    run, layout = mixture_run(GB200), Layout(tp=2, cp=2, pp=2, dp=4, ep=4, chunks=2)
    text = export_plan(framework, run, layout, BRIDGE).text
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 40)))
    odd = st.sampled_from(
        ["", "-1", "0", "nan", "=", '"', "'", "[", "{", "\\", "--", "true", "null", "9" * 30]
    )
    damaged = text[:start] + data.draw(st.one_of(odd, st.text(max_size=8))) + text[stop:]
    try:
        known = set(import_plan(framework, damaged, run.model, layout.ranks).values)
    except InputError:
        known = set()
    assert known <= set(KNOBS)


@pytest.mark.parametrize(
    ("framework", "noted"), [("megatron", set()), ("nemo", set()), ("torchtitan", {"sharding"})]
)
def test_a_usual_plan_needs_few_notes(framework: str, noted: set[str]) -> None:
    layout = Layout(tp=2, cp=2, pp=2, dp=4, chunks=2, sharding="optimizer", recompute="full")
    exported = export_plan(framework, dense_run(), layout, BRIDGE)
    assert {note.knob for note in exported.notes} - {"", "model"} == noted
