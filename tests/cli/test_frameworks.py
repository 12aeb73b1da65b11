"""Plans from and for frameworks: ``--megatron-args`` and files, ``--export``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import run

MODEL = ("--model", "llama3-70b", "--machine", "h100")
PLAN = ("--gpus", "64", "--global-batch", "128", "--seq", "8192", "--tp", "4", "--cp", "2", "--pp", "4")
CHUNKS = ("--chunks", "5")
SPLIT = ("--gpus", "64", "--global-batch", "128", "--seq", "8192", "--tp", "8")
FILES = {
    "megatron": "--megatron-args",
    "nemo": "--nemo-overrides",
    "torchtitan": "--torchtitan-file",
    "deepspeed": "--deepspeed-file",
}


@pytest.mark.parametrize("command", ["estimate", "explain"])
def test_megatron_arguments_are_a_plan(command: str) -> None:
    arguments = (
        "--tensor-model-parallel-size 4 --context-parallel-size 2 --pipeline-model-parallel-size 4 "
        "--num-virtual-stages-per-pipeline-rank 5 --sequence-parallel --use-distributed-optimizer "
        "--global-batch-size 128 --seq-length 8192 --micro-batch-size 1 --bf16 --lr 1e-4"
    )
    done = run(command, *MODEL, "--gpus", "64", "--megatron-args", arguments, "--json")
    assert done.code == 0, done.err
    same = json.loads(run(command, *MODEL, *PLAN, *CHUNKS, "--json").out)
    assert json.loads(done.out)["step_seconds"] == same["step_seconds"]
    assert "without effect on the estimate: --lr" in done.err


def test_whether_a_framework_s_plan_fits() -> None:
    arguments = "--tensor-model-parallel-size 8 --sequence-parallel --global-batch-size 128 --seq-length 8192"
    options = ("--gpus", "64", "--megatron-args", f"{arguments} --recompute-activations --lr 1e-4", "--json")
    done = run("fit-memory", *MODEL, *options)
    assert "without effect on the estimate: --lr" in done.err
    by_hand = run("fit-memory", *MODEL, *SPLIT, "--sharding", "none", "--recompute", "selective", "--json")
    assert json.loads(done.out) == json.loads(by_hand.out)
    assert done.code == by_hand.code == 1


@pytest.mark.parametrize("command", ["estimate", "explain"])
def test_options_without_effect_are_warnings_beside_an_export_too(command: str) -> None:
    plan = (*PLAN, "--expert-overlap")
    for extra in ((), ("--export", "megatron")):
        done = run(command, *MODEL, *plan, *extra)
        assert "--expert-overlap has no effect" in " ".join((done.out + done.err).split())
    assert "--expert-overlap has no effect on a model without experts" in done.err


@pytest.mark.parametrize("framework", FILES)
def test_what_is_exported_can_be_asked_again(framework: str, tmp_path: Path) -> None:
    plan = (*SPLIT, "--sharding", "gradients", "--profile", "bridge-2026")
    written = run("estimate", *MODEL, *plan, "--export", framework)
    assert written.code == 0, written.err
    path = tmp_path / "plan"
    path.write_text(written.out)
    source = f"@{path}" if framework == "megatron" else path
    options = ("--gpus", "64", "--profile", "bridge-2026", FILES[framework], source, "--json")
    extra = ("--seq", "8192") if framework == "deepspeed" else ()
    again = run("estimate", *MODEL, *options, *extra)
    assert again.code == 0, again.err
    first = json.loads(run("estimate", *MODEL, *plan, "--json").out)
    assert json.loads(again.out)["layout"] == first["layout"]
    assert json.loads(again.out)["step_seconds"] == first["step_seconds"]


def test_the_files_degrees_give_the_accelerators(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(run("estimate", *MODEL, *PLAN, *CHUNKS, "--export", "torchtitan").out)
    done = run("estimate", *MODEL, "--torchtitan-file", path, "--json")
    assert json.loads(done.out)["layout"]["dp"] == 2
    assert json.loads(done.out)["profile"] == "torchtitan-2024"
    wrong = run("estimate", *MODEL, "--torchtitan-file", path, "--gpus", "128")
    assert wrong.code == 2
    assert "--gpus" in wrong.err
    assert "64" in wrong.err


def test_notes_go_to_standard_error() -> None:
    done = run("estimate", *MODEL, *PLAN, "--schedule", "dualpipe", "--export", "megatron")
    assert done.code == 0
    assert done.out.startswith("--num-layers 80")
    assert "dualpipe" in done.err


def test_the_json_answer_holds_the_export() -> None:
    for command in ("estimate", "explain"):
        answer = json.loads(run(command, *MODEL, *PLAN, *CHUNKS, "--export", "nemo", "--json").out)
        assert "model.tensor_model_parallel_size=4" in answer["export"]["text"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--megatron-args", "--tensor-parallel-size 4"), ("--tensor-model-parallel-size",)),
        (
            ("--megatron-args", "--tensor-model-parallel-size 4", "--tp", "8"),
            ("--tp", "--megatron-args says"),
        ),
        (("--megatron-args", "--hidden-size 4096"), ("--hidden-size", "8192")),
        (("--megatron-args", "@nowhere"), ("--megatron-args", "existing file")),
        (("--megatron-args", "--bf16", "--nemo-overrides", "x"), ("--nemo-overrides", "--megatron-args")),
        (("--megatron-args", "--bf16", "--seq", "8192"), ("--global-batch is missing",)),
        (("--nemo-overrides", "nowhere"), ("--nemo-overrides", "existing file")),
        (("--global-batch", "128", "--seq", "8192", "--export", "megatronlm"), ("--export", "megatron")),
        (("--global-batch", "128", "--seq", "8192", "--shard-ranks", "3"), ("--shard-ranks", "divisor")),
        (("--global-batch", "128", "--seq", "8192", "--shard-ranks", "-1"), ("--shard-ranks",)),
    ],
)
def test_bad_input(options: tuple[str, ...], words: tuple[str, ...]) -> None:
    done = run("estimate", *MODEL, "--gpus", "64", *options)
    assert done.code == 2
    assert not done.out
    for word in words:
        assert word in done.err


@pytest.mark.parametrize("command", ["estimate", "explain", "fit-memory"])
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe\x00", "UTF-8"),
        (b" " * 1_000_001, "at most 1000000 bytes"),
        (b'{"train_batch_size": 8', "train_batch_size"),
    ],
    ids=["no text", "huge", "cut"],
)
def test_files_that_are_none(command: str, content: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "plan"
    path.write_bytes(content)
    for option in ("--nemo-overrides", "--torchtitan-file", "--deepspeed-file"):
        done = run(command, *MODEL, "--gpus", "64", "--tp", "8", option, path)
        assert done.code == 2
        assert not done.out
        assert words in done.err


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(b'\xef\xbb\xbf{"train_batch_size": 128, "tensor_parallel": {"autotp_size": 8}}')
    assert run("estimate", *MODEL, "--gpus", "64", "--seq", "8192", "--deepspeed-file", path).code == 0


def test_the_same_word_twice_is_no_conflict() -> None:
    arguments = "--tensor-model-parallel-size 8 --global-batch-size 128 --seq-length 8192"
    assert run("estimate", *MODEL, "--gpus", "64", "--tp", "8", "--megatron-args", arguments).code == 0


def test_without_accelerators() -> None:
    done = run("estimate", *MODEL, "--global-batch", "128", "--seq", "8192")
    assert done.code == 2
    assert "--gpus is missing" in done.err
