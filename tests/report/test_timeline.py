"""The timeline page, the figure, the trace and the tables of a simulated step."""

from __future__ import annotations

import gzip
import io
import json
import re
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.colors import to_hex

from scalewall.cost.pipeline import (
    SCHEDULES,
    Sends,
    Work,
    build_schedule,
    critical_path,
    peak_bytes,
    placement_of,
    simulate,
    stage_costs,
)
from scalewall.report.pipeline_tables import heading, run_record, stage_rows, stage_table, step_sentences
from scalewall.report.style import style
from scalewall.report.timeline import TIMELINE_SUFFIXES, save_timeline, timeline_html
from scalewall.report.timeline_figure import DRAWN_A_STAGE, SERIES, timeline_figure
from scalewall.report.trace import save_trace, trace_events

CHUNKS = {"interleaved": 2}


def make_run(name="zb-h1", transfer=0.002, overlap=True):
    placement = placement_of(name, 4, CHUNKS.get(name, 1))
    there = np.stack([placement.next_part, placement.previous_part])
    lane = np.where(
        (there >= 0) & (placement.part_stage[there] != placement.part_stage), placement.part_stage, -1
    )
    sends = Sends((lane >= 0) * transfer, (lane >= 0) * transfer / 10, lane)
    costs = stage_costs(placement, Work(0.02, 0.022, 0.016, 2e9, 1e9, 1e10), sends=sends, overlap=overlap)
    return simulate(build_schedule(name, 4, 8, CHUNKS.get(name, 1), costs), costs)


def events_of(run):
    return [json.loads(event) for event in trace_events(run)]


def page_data(page):
    return json.loads(
        re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1)
    )


@pytest.mark.parametrize("name", SCHEDULES)
def test_the_page_holds_every_operation_where_it_ran(name):
    run = make_run(name)
    data = page_data(timeline_html(run))
    schedule = run.schedule
    assert sum(len(stage["start"]) for stage in data["stages"]) == schedule.operations
    for index, stage in enumerate(data["stages"]):
        here = schedule.stage_slice(index)
        assert np.array(stage["start"]) * data["tick"] == pytest.approx(run.start[here], abs=data["tick"])
        assert np.array(stage["end"]) * data["tick"] == pytest.approx(run.end[here], abs=data["tick"])
        assert stage["kind"] == schedule.kind[here].tolist()
        assert stage["half"].count(1) == stage["half"].count(2) == schedule.joined[here].sum()
        assert max(stage["memory"]) == pytest.approx(peak_bytes(run)[index])
    assert len(data["path"]) == len(critical_path(run))


def test_the_page_stands_alone_and_shows_what_the_reader_asks():
    page = timeline_html(make_run(), command="scalewall schedule <x>")
    assert not re.search(r"(src|href)=\"(?!data:)", page)
    assert "://" not in page
    assert "scalewall schedule &lt;x&gt;" in page
    assert "ZB-H1: 4 stages, 8 microbatches" in page
    assert "A step takes" in page
    assert "Critical path:" in page
    assert "$" not in re.sub(r"<script.*?</script>", "", page, flags=re.S)


def test_the_page_counts_microbatches_where_bytes_are_unknown():
    page = timeline_html(make_run(), memory_in_bytes=False)
    data = page_data(page)
    assert data["unit"] == "microbatches"
    assert max(max(stage["memory"]) for stage in data["stages"]) == 4.0
    assert "peak<br>memory" not in page


@pytest.mark.parametrize("suffix", TIMELINE_SUFFIXES)
def test_files_of_every_kind_are_written(suffix, tmp_path):
    file = tmp_path / f"timeline{suffix}"
    save_timeline(make_run("dualpipe"), file)
    assert file.stat().st_size > 3000


@pytest.mark.parametrize("memory_in_bytes", [True, False])
def test_the_figure_draws_every_operation(memory_in_bytes):
    run = make_run("dualpipe")
    figure = timeline_figure(run, memory_in_bytes)
    figure.savefig(io.BytesIO(), format="png")
    bars = [len(collection.get_paths()) for collection in figure.axes[0].collections]
    assert sum(bars) == run.schedule.operations
    assert len(figure.axes[0].texts) == run.schedule.operations
    assert ("bytes" in figure.axes[1].get_ylabel()) is False


def test_a_figure_of_many_operations_mixes_their_colours_by_time():
    placement = placement_of("1f1b", 2)
    costs = stage_costs(placement, Work(1.0, 1.0, 1.0))
    run = simulate(build_schedule("1f1b", 2, DRAWN_A_STAGE, costs=costs), costs)
    figure = timeline_figure(run, False)
    figure.savefig(io.BytesIO(), format="png")
    images = figure.axes[0].images
    assert len(images) == 2
    assert figure.axes[0].get_xlim() == (0.0, run.makespan_seconds)
    theme = style().light
    forward, backward, nothing = (
        np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
        for colour in (theme.series[SERIES["F"]], theme.series[SERIES["BW"]], theme.background)
    )
    first, later = (np.asarray(image.get_array())[0] for image in images)
    assert first[0] == pytest.approx(forward)
    assert first[-1] == pytest.approx(backward)
    assert later[0] == pytest.approx(nothing)
    middle = first[first.shape[0] // 4 : -first.shape[0] // 4].mean(axis=0)
    assert middle == pytest.approx(forward / 3 + 2 * backward / 3, abs=0.01)


def test_the_beginning_of_a_long_step_is_drawn_and_said_to_be_that():
    placement = placement_of("1f1b", 2)
    costs = stage_costs(placement, Work(1.0, 1.0, 1.0))
    run = simulate(build_schedule("1f1b", 2, DRAWN_A_STAGE, costs=costs), costs)
    figure = timeline_figure(run, False, dark=True, most=20)
    figure.savefig(io.BytesIO(), format="png")
    end = figure.axes[0].get_xlim()[1]
    assert 20 <= sum(run.end[run.schedule.stage == 1] <= end) <= 21
    bars = [len(collection.get_paths()) for collection in figure.axes[0].collections]
    assert sum(bars) == (run.start < end).sum()
    assert "the first" in figure.get_suptitle()
    assert to_hex(figure.get_facecolor()) == style().dark.background
    whole = timeline_figure(run, False, most=2 * DRAWN_A_STAGE)
    assert "the first" not in whole.get_suptitle()


@pytest.mark.parametrize("name", ["trace.json", "trace.json.gz"])
def test_the_trace_has_what_viewers_want(name, tmp_path):
    run = make_run("interleaved")
    file = tmp_path / name
    save_trace(run, file)
    content = file.read_bytes()
    trace = json.loads(gzip.decompress(content) if name.endswith(".gz") else content)
    assert trace["displayTimeUnit"] == "ms"
    events = trace["traceEvents"]
    assert events == events_of(run)
    slices = [e for e in events if e["ph"] == "X"]
    stages = [e for e in slices if e["cat"] != "message"]
    assert len(stages) == run.schedule.operations
    assert all(e["dur"] >= 0 and e["ts"] >= 0 and {"pid", "tid", "name", "args"} <= set(e) for e in slices)
    assert max(e["ts"] + e["dur"] for e in stages) == pytest.approx(run.makespan_seconds * 1e6)
    names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    assert set(names) == {e["tid"] for e in slices}
    (process,) = {e["pid"] for e in events}
    assert not {0, process} & set(names), "Perfetto would take it for the process's main thread"
    counters = {e["name"] for e in events if e["ph"] == "C"}
    assert counters == {f"memory, stage {stage}" for stage in range(4)}


@pytest.mark.parametrize("overlap", [True, False])
def test_slices_of_one_thread_never_cross(overlap):
    """Viewers stack slices that overlap; ours are one after the other, pairs side by side."""
    events = events_of(make_run("dualpipe", transfer=0.05, overlap=overlap))
    threads = {}
    for e in events:
        if e["ph"] == "X":
            begun, length = (round(1000 * e[key]) for key in ("ts", "dur"))
            assert e["ts"] == begun / 1000
            assert e["dur"] == length / 1000
            threads.setdefault(e["tid"], []).append((begun, begun + length))
    for spans in threads.values():
        distinct = sorted(set(spans))
        for before, after in pairwise(distinct):
            assert after[0] >= before[1]


def test_messages_that_take_no_time_are_left_out_of_the_trace():
    assert not [e for e in events_of(make_run(transfer=0.0)) if e.get("cat") == "message"]


def test_the_trace_counts_memory_once_for_each_time():
    run = make_run("dualpipe")
    counts = [(e["name"], e["ts"], e["args"]["bytes"]) for e in events_of(run) if e["ph"] == "C"]
    assert len({(name, time) for name, time, _ in counts}) == len(counts)
    for stage, peak in enumerate(peak_bytes(run)):
        assert max(held for name, _, held in counts if name == f"memory, stage {stage}") == peak


def test_a_step_that_takes_no_time_is_told_and_drawn(tmp_path):
    placement = placement_of("1f1b", 2)
    costs = stage_costs(placement, Work())
    run = simulate(build_schedule("1f1b", 2, 3, costs=costs), costs)
    assert "A step takes 0 s" in step_sentences(run)[0]
    assert "nothing takes time" in step_sentences(run)[1]
    for suffix in TIMELINE_SUFFIXES:
        save_timeline(run, tmp_path / f"timeline{suffix}", False)
    save_trace(run, tmp_path / "trace.json")


def test_rows_and_record_say_the_same():
    run = make_run(overlap=False)
    record = run_record(run)
    assert json.loads(json.dumps(record)) == record
    assert record["stages"] == stage_rows(run)
    assert record["step_seconds"] == run.step_seconds
    assert sum(record["critical_path_seconds"].values()) == pytest.approx(record["makespan_seconds"])
    for row in record["stages"]:
        spent = sum(row[f"{name}_seconds"] for name in ("busy", "sending", "exposed", "idle"))
        assert spent == pytest.approx(record["step_seconds"])


def test_the_table_shows_sends_only_where_they_hold_a_stage_up():
    heads = [column.title for column in stage_table(make_run(), True).columns]
    held_up = [column.title for column in stage_table(make_run(overlap=False), True).columns]
    assert "sends" not in heads
    assert "sends" in held_up


def test_the_second_count_of_a_staggered_step_is_told_only_where_it_differs():
    placement = placement_of("zb-h2", 4)
    run = simulate(build_schedule("zb-h2", 4, 8), stage_costs(placement))
    assert "with that wait a step takes 27.0 s" in " ".join(step_sentences(run))
    run = simulate(build_schedule("zb-h1", 4, 8), stage_costs(placement_of("zb-h1", 4)))
    assert "with that wait" not in " ".join(step_sentences(run))


def test_headings_name_the_schedule_and_its_shape():
    assert heading(make_run("interleaved")) == "Interleaved 1F1B: 4 stages of 2 chunks, 8 microbatches"
