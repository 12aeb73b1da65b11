"""``scalewall estimate`` and ``fit-memory``: the contract, bad input, and that it is quick."""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter

import pytest

from tests.cli.running import run, start

USUAL = (
    "--model", "llama3-70b", "--machine", "h100", "--gpus", "64", "--global-batch", "128", "--seq", "8192",
    "--tp", "4", "--cp", "2", "--pp", "4", "--chunks", "5",
)  # fmt: skip


def test_json() -> None:
    done = run("estimate", *USUAL, "--json")
    assert done.code == 0
    answer = json.loads(done.out)
    assert answer["step_seconds"] == pytest.approx(14.7, rel=0.15)
    tokens = 128 * 8192 / answer["step_seconds"] / 64
    assert answer["tokens_per_second_per_gpu"] == pytest.approx(tokens)
    assert answer["mfu"] == answer["hfu"]
    assert sum(answer["breakdown"].values()) == pytest.approx(answer["step_seconds"])
    assert len(answer["memory_bytes"]) == 4
    assert sum(answer["memory_terms"][0].values()) == pytest.approx(answer["memory_bytes"][0])
    assert answer["step_seconds_low"] < answer["step_seconds"] < answer["step_seconds_high"]
    assert answer["assumptions"]["constants"]["step.straggler"] == 0.004


def test_table() -> None:
    done = run("estimate", *USUAL, "--tokens", "1e12", "--failures", "--gpu-hour-usd", "2.5")
    assert done.code == 0
    for word in ("MFU", "HFU", "matmuls", "Stage", "days", "USD", "Fits"):
        assert word in done.out


def test_failures_and_cost() -> None:
    plain, failing = (
        json.loads(run("estimate", *USUAL, "--json", "--tokens", "1e12", "--gpu-hour-usd", "2", *more).out)[
            "training"
        ]
        for more in ((), ("--failures",))
    )
    assert failing["days"] > plain["days"]
    assert plain["usd"] == pytest.approx(2 * plain["gpu_hours"])
    assert plain["gpu_hours"] == pytest.approx(plain["days"] * 24 * 64)


def test_experts() -> None:
    done = run(
        "estimate", "--model", "mixtral-8x22b", "--machine", "h100", "--gpus", "128", "--global-batch", "256",
        "--seq", "4096", "--tp", "2", "--pp", "8", "--ep", "8", "--dispatcher", "deepep", "--json",
    )  # fmt: skip
    assert done.code == 0
    assert json.loads(done.out)["breakdown"]["exchange"] > 0


def test_a_config_of_ones_own(tmp_path: Path) -> None:
    config = {
        "model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,
        "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256,
        "architectures": ["LlamaForCausalLM"], "hidden_act": "silu", "tie_word_embeddings": False,
    }  # fmt: skip
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    done = run(
        "estimate",
        "--model",
        path,
        "--machine",
        "h100",
        "--gpus",
        "8",
        "--global-batch",
        "16",
        "--seq",
        "4096",
        "--json",
    )
    assert done.code == 0, done.err


@pytest.mark.parametrize("text", ['{"model_type": "llama", ', "[]", '{"model_type": "resnet"}', "\x00"])
def test_configs_that_are_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(text)
    options = ("--machine", "h100", "--gpus", "8", "--global-batch", "16", "--seq", "4096")
    done = run("estimate", "--model", path, *options)
    assert done.code == 2
    assert done.err.startswith("error:")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--gpus", "60"), ("--gpus", "32", "64")),
        (("--tp", "0"), ("--tp",)),
        (("--global-batch", "100", "--pp", "1", "--chunks", "1"), ("--global-batch", "104", "dp of")),
        (("--seq", "12"), ("--seq", "16")),
        (("--seq", "4", "--cp", "8", "--tp", "1", "--pp", "1", "--chunks", "1"), ("--seq", "16")),
        (("--tp", "3", "--gpus", "72", "--seq", "8196"), ("--tp", "64 heads")),
        (("--precision", "fp4"), ("--precision", "bf16")),
        (("--precision", "nvfp4"), ("--precision", "h100")),
        (("--precision", "mxfp8"), ("--precision", "h100", "fp8-current")),
        (("--machine", "a100-80gb", "--precision", "fp8-delayed"), ("--precision", "a100-80gb: bf16")),
        (("--schedule", "zb-1p", "--pp", "4", "--chunks", "2"), ("--chunks", "only 1f1b", "Nearest: 1")),
        (("--shard-ranks", "3"), ("--shard-ranks", "a divisor of cp x dp")),
        (("--schedule", "2f2b"), ("--schedule", "1f1b")),
        (("--sharding", "all"), ("--sharding", "optimizer")),
        (("--recompute", "some"), ("--recompute", "selective")),
        (("--profile", "bridge"), ("--profile", "bridge-2026")),
        (("--machine", "h1000"), ("--machine", "h100")),
        (("--model", "llama3-71b"), ("--model",)),
        (("--ep", "2"), ("--ep", "without experts")),
        (("--microbatch", "3"), ("--microbatch", "2")),
        (("--tokens", "-1"), ("--tokens",)),
        (("--measured", "nowhere.toml"), ("--measured",)),
    ],
)
def test_bad_input(options: tuple[str, ...], words: tuple[str, ...]) -> None:
    done = run("estimate", *USUAL, *options)
    assert done.code == 2
    for word in words:
        assert word in done.err


def test_a_misfit_says_how_close_and_what_would_help() -> None:
    options = (
        "--model",
        "llama3-70b",
        "--machine",
        "h100",
        "--gpus",
        "64",
        "--global-batch",
        "128",
        "--seq",
        "8192",
    )
    done = run("fit-memory", *options, "--tp", "4", "--json")
    assert done.code == 1
    answer = json.loads(done.out)
    assert not answer["fits"]
    assert answer["shortfall_bytes"] == pytest.approx(answer["needed_bytes"] - answer["capacity_bytes"])
    assert answer["fixes"]
    shown = run("fit-memory", *options, "--tp", "4")
    assert "lacks" in shown.out


def test_a_fit() -> None:
    assert run("fit-memory", *USUAL).code == 0


def test_quick_from_a_cold_shell() -> None:
    begun = perf_counter()
    process = start("estimate", *USUAL, "--json")
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert json.loads(out)["step_seconds"] > 0
    assert perf_counter() - begun < 10
