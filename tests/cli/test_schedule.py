"""``scalewall schedule`` on its own: what it prints and writes, and what it refuses."""

from __future__ import annotations

import csv
import gzip
import json

import pytest
import typer
from typer.testing import CliRunner

from scalewall.cli.schedule import schedule
from scalewall.cost.pipeline import build_schedule, schedule_to_data
from scalewall.errors import InputError
from tests.cli.running import run

SHAPE = ["--pp", "4", "--microbatches", "8"]


@pytest.fixture
def call():
    app = typer.Typer()
    app.command()(schedule)

    def run(*arguments):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    return run


def record(result):
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_the_example_of_the_docs(call, tmp_path):
    plot, trace = tmp_path / "timeline.html", tmp_path / "trace.json"
    arguments = [
        "--pp",
        "8",
        "--microbatches",
        "16",
        "--schedule",
        "zb-h1",
        "--plot",
        plot,
        "--trace",
        trace,
        "--json",
    ]
    answer = record(call(*arguments))
    assert answer["schedule"] == "zb-h1"
    assert answer["step_seconds"] == pytest.approx(16 * 3 + 7)
    assert "<canvas" in plot.read_text(encoding="utf-8")
    assert json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]


def test_words_and_a_table(call):
    result = call(*SHAPE)
    assert result.exit_code == 0
    assert "1F1B: 4 stages, 8 microbatches" in result.stdout
    assert "the bubble is 27.3 %" in result.stdout
    assert "microbatches" in result.stdout


def test_csv_has_a_row_a_stage(call, tmp_path):
    file = tmp_path / "stages.csv"
    assert call(*SHAPE, "--csv", file).exit_code == 0
    rows = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
    assert [row["stage"] for row in rows] == ["0", "1", "2", "3"]
    assert [float(row["in_flight"]) for row in rows] == [4.0, 3.0, 2.0, 1.0]


def test_stages_of_their_own_times_and_bytes(call):
    answer = record(
        call(
            *SHAPE,
            "--json",
            "--forward",
            "1,1,1,2",
            "--activation-bytes",
            "1e9",
            "--fixed-bytes",
            "5e9,4e9,4e9,6e9",
        )
    )
    assert answer["stages"][3]["busy_seconds"] == pytest.approx(32.0)
    assert answer["stages"][0]["peak_bytes"] == pytest.approx(9e9)


def test_layers_embedding_and_loss(call):
    even = record(call(*SHAPE, "--json", "--layers", "10", "--loss", "0.5,0.5,0.5"))
    given = record(call(*SHAPE, "--json", "--layers", "2,3,3,2", "--loss", "0.5,0.5,0.5"))
    assert even["stages"] == given["stages"]
    assert given["stages"][3]["busy_seconds"] == pytest.approx(8 * (6 + 1.5))


def test_messages_over_one_link_or_over_a_machine(call):
    base = record(call(*SHAPE, "--json"))
    slow = record(
        call(*SHAPE, "--json", "--message-bytes", "1e9", "--bandwidth", "1e10", "--latency", "0.01")
    )
    assert slow["communication_seconds"] == pytest.approx(slow["step_seconds"] - base["step_seconds"])
    assert slow["communication_seconds"] > 0.0
    blocked = record(
        call(
            *SHAPE,
            "--json",
            "--message-bytes",
            "1e9",
            "--bandwidth",
            "1e10",
            "--latency",
            "0.01",
            "--no-overlap",
        )
    )
    assert blocked["step_seconds"] > slow["step_seconds"]
    for machine in ("h100", "gtx-580"):
        over = ("--message-bytes", "1e9", "--cluster", machine, "--stride", "8")
        assert record(call(*SHAPE, "--json", *over))["communication_seconds"] > 0.0


def test_waiting_at_the_optimizer(call):
    arguments = [*SHAPE, "--schedule", "zb-h2", "--json"]
    assert record(call(*arguments))["step_seconds"] == pytest.approx(24.0)
    assert record(call(*arguments, "--optimizer-sync"))["step_seconds"] == pytest.approx(27.0)


def test_a_schedule_of_your_own(call, tmp_path):
    file = tmp_path / "own.json"
    file.write_text(json.dumps(schedule_to_data(build_schedule("zb-h1", 3, 5))), encoding="utf-8")
    answer = record(call("--file", file, "--json"))
    assert answer["pp"] == 3
    assert answer["step_seconds"] == pytest.approx(5 * 3 + 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--pp: None"),
        (["--pp", "4"], "--microbatches: None .*Nearest: 8"),
        ([*SHAPE, "--schedule", "zbh1"], "schedule: 'zbh1' .*Nearest: zb-h1"),
        ([*SHAPE, "--schedule", "interleaved", "--microbatches", "5", "--chunks", "3"], "microbatches: 5"),
        ([*SHAPE, "--forward", "-1"], "^--forward: '-1'"),
        ([*SHAPE, "--forward", "1,1,nan,1"], "^--forward: '1,1,nan,1'"),
        ([*SHAPE, "--forward", "1e400"], "^--forward: '1e400'"),
        ([*SHAPE, "--forward", ""], "^--forward: ''"),
        ([*SHAPE, "--loss", "-1,0,0"], "^--loss: '-1,0,0'"),
        ([*SHAPE, "--activation-bytes", "-5"], "^--activation-bytes: '-5'"),
        ([*SHAPE, "--gradient-bytes", "5"], "^--gradient-bytes: '5' .*without --activation-bytes"),
        ([*SHAPE, "--fixed-bytes", "5"], "^--fixed-bytes: '5' .*without --activation-bytes"),
        ([*SHAPE, "--stride", "2"], "^--stride: 2 .*without --cluster"),
        ([*SHAPE, "--cluster", "h100", "--latency", "1"], "^--latency: 1.0 .*beside --cluster"),
        ([*SHAPE, "--cluster", "h100", "--bandwidth", "1"], "^--bandwidth: 1.0 .*beside --cluster"),
        ([*SHAPE, "--cluster", "wse-3"], "^--cluster: 'wse-3' .*network.0.bandwidth"),
        ([*SHAPE, "--forward", "1e308"], "a float can hold"),
        ([*SHAPE, "--forward", "1,2"], "--forward: '1,2' .*4: one a stage"),
        ([*SHAPE, "--forward", "one"], "--forward: 'one'"),
        ([*SHAPE, "--layers", "8", "--forward", "1,1,1,1"], "--forward: .*a layer's"),
        ([*SHAPE, "--layers", "3"], "layers: 3 .*Nearest: 4"),
        ([*SHAPE, "--layers", "x"], "--layers: 'x'"),
        ([*SHAPE, "--loss", "1,1"], "--loss: '1,1' .*three numbers"),
        ([*SHAPE, "--bandwidth", "0"], "--bandwidth: 0.0"),
        ([*SHAPE, "--latency", "-1"], "--latency: -1.0"),
        ([*SHAPE, "--cluster", "h1000"], "^--cluster: 'h1000'"),
        ([*SHAPE, "--plot", "timeline.gif"], "--plot: 'timeline.gif'"),
        ([*SHAPE, "--trace", "nowhere/trace.json"], "--trace: 'nowhere/trace.json'"),
        ([*SHAPE, "--trace", "one.json", "--csv", "one.json"], "another file than --trace writes"),
        (["--file", "nowhere.toml"], "nowhere.toml"),
        (["--file", "x.toml", "--pp", "4"], "--pp: 4 .*beside --file"),
    ],
)
def test_what_cannot_be_used_is_named(call, arguments, message):
    result = call(*arguments)
    assert isinstance(result.exception, InputError)
    with pytest.raises(InputError, match=message):
        raise result.exception


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--chunks", "3"),
        ("--message-bytes", "nan"),
        ("--joint-fraction", "2"),
        ("--microbatches", "0"),
        ("--pp", "1000000000"),
    ],
)
def test_the_command_names_its_options(option, value):
    done = run("schedule", *SHAPE, option, value)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith(f"error: {option}: ")
    assert len(done.err.splitlines()) == 1


def test_a_bad_file_is_named_by_file_and_field(tmp_path):
    file = tmp_path / "own.json"
    file.write_text('{"microbatches": 0, "stages": ["F0 BW0"]}', encoding="utf-8")
    plot = tmp_path / "timeline.png"
    done = run("schedule", "--file", file, "--plot", plot)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {file}: microbatches: 0 is not usable")
    assert not plot.exists()


def test_one_of_each_is_one(call):
    assert "1F1B: 1 stage, 1 microbatch\n" in call("--pp", "1", "--microbatches", "1").stdout


def test_a_compressed_trace_and_the_command_on_the_page(call, tmp_path):
    plot, trace = tmp_path / "timeline.html", tmp_path / "trace.json.gz"
    assert call(*SHAPE, "--plot", plot, "--trace", trace).exit_code == 0
    assert json.loads(gzip.decompress(trace.read_bytes()))["traceEvents"]
    assert "<h2>Make this again</h2><pre><code>scalewall " in plot.read_text(encoding="utf-8")
