"""Megatron-LM: documented arguments read as what they mean, unknown ones refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scalewall.errors import InputError
from scalewall.planner.export import Imported, export_plan, import_plan
from scalewall.planner.layout import Layout
from scalewall.planner.run import Run
from scalewall.workload.models import read_model
from scalewall.workload.transformer import Transformer
from tests.planner.samples import BRIDGE, DENSE, GB200, MIXTURE, dense_run

DEEPSEEK = read_model("deepseek-v3").model


def read(text: str, model: Transformer = DENSE, ranks: int | None = 64) -> Imported:
    return import_plan("megatron", text, model, ranks)


def values(text: str, model: Transformer = DENSE) -> dict[str, Any]:
    return dict(read(text, model).values)


def test_a_command_line_as_people_write_it() -> None:
    found = read(
        """--tensor-model-parallel-size 4 --pipeline-model-parallel-size=2 \\
        --num-layers-per-virtual-pipeline-stage 4 --sequence-parallel --use-distributed-optimizer \\
        --micro-batch-size 2 --global-batch-size 256 --seq-length 8192 --bf16 --lr 3e-4 --overlap-grad-reduce \\
        --data-path 0.5 /data/one 0.5 /data/two --num-layers 32 --hidden-size 4096 --recompute-activations"""
    )
    assert found.values == {
        "tp": 4, "cp": 1, "pp": 2, "ep": 1, "chunks": 4, "microbatch": 2, "global_batch": 256, "sequence": 8192,
        "schedule": "1f1b", "sequence_parallel": True, "sharding": "optimizer", "shard_ranks": 0,
        "recompute": "selective", "recompute_modules": (), "precision": "bf16", "graphs": "none",
        "offloaded_layers": 0,
    }  # fmt: skip
    assert found.without_effect == ("--lr", "--data-path")
    assert found.by_profile == ("--overlap-grad-reduce",)


def test_what_is_not_said_has_the_frameworks_defaults() -> None:
    found = values("--bf16")
    assert found["sharding"] == "none"
    assert found["sequence_parallel"] is False
    assert values("--tensor-model-parallel-size 4", MIXTURE)["etp"] == 4


@pytest.mark.parametrize(
    ("text", "knob", "expected"),
    [
        ("--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params", "sharding", "parameters"),
        ("--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads", "sharding", "gradients"),
        ("--use-torch-fsdp2", "sharding", "parameters"),
        ("--use-torch-fsdp2 --torch-fsdp2-no-reshard-after-forward", "sharding", "gradients"),
        ("--recompute-granularity full --recompute-method uniform --recompute-num-layers 1", "recompute", "full"),
        ("--recompute-granularity full --recompute-method block --recompute-num-layers 32", "recompute", "full"),
        ("--recompute-granularity selective --recompute-modules mlp moe", "recompute_modules", ("mlp", "moe")),
        ("--fp8-format hybrid", "precision", "fp8-delayed"),
        ("--fp8-format hybrid --fp8-recipe tensorwise", "precision", "fp8-current"),
        ("--fp8-format e4m3 --fp8-recipe mxfp8", "precision", "mxfp8"),
        ("--fp4-format e2m1", "precision", "nvfp4"),
        ("--cuda-graph-impl local --cuda-graph-scope full_iteration", "graphs", "full"),
        ("--cuda-graph-impl transformer_engine --cuda-graph-scope attn moe_router", "graphs", "partial"),
        ("--enable-cuda-graph", "graphs", "partial"),
        ("--cpu-offloading-num-layers 16", "offloaded_layers", 16),
        ("--pipeline-model-parallel-size 2 --pipeline-model-parallel-layout Et*9|(t*8|)*2,t*7,L", "chunks", 2),
    ],
)  # fmt: skip
def test_arguments_and_their_meaning(text: str, knob: str, expected: object) -> None:
    assert values(text)[knob] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("--moe-token-dispatcher-type alltoall", "all-to-all"),
        ("--moe-token-dispatcher-type flex", "deepep"),
        ("--moe-token-dispatcher-type flex --moe-enable-deepep", "deepep"),
        ("--moe-token-dispatcher-type flex --moe-flex-dispatcher-backend hybridep", "hybridep"),
    ],
)
def test_dispatchers(text: str, expected: str) -> None:
    assert values(text, MIXTURE)["dispatcher"] == expected


def test_nearest_things_are_said_to_be_so() -> None:
    for text, word in (
        ("--fp16", "bf16"),
        ("--fp8-format hybrid --fp8-recipe blockwise", "tensorwise"),
        ("--recompute-granularity full --recompute-method uniform --recompute-num-layers 2", "taken for 1"),
        ("--decoder-first-pipeline-num-layers 7", "evenly"),
    ):
        assert word in " ".join(read(text).notes)
    assert "allgather" in " ".join(read("--bf16", MIXTURE).notes)


def test_groups_of_shards_need_the_number_of_accelerators() -> None:
    text = (
        "--use-distributed-optimizer --num-distributed-optimizer-instances 4 --tensor-model-parallel-size 2"
    )
    assert read(text, ranks=64).values["shard_ranks"] == 8
    with pytest.raises(InputError, match="--gpus"):
        read(text, ranks=None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("--tensor-parallel-size 4", ("--tensor-parallel-size", "--tensor-model-parallel-size")),
        ("--sequence-paralel", ("--sequence-parallel",)),
        ("--recompute-granularity some", ("full", "selective")),
        ("--recompute-granularity selective --recompute-modules attention", ("core_attn",)),
        ("--recompute-granularity full --recompute-method block --recompute-num-layers 3", ("32",)),
        ("--tensor-model-parallel-size four", ("whole number",)),
        ("--tensor-model-parallel-size", ("--tensor-model-parallel-size", "a value")),
        ("--tensor-model-parallel-size 0", ("at least 1",)),
        ("--sequence-parallel=yes", ("switch",)),
        ("tensor", ("begin with --",)),
        ("--seq-length 'unfinished", ("shell",)),
        ("--num-layers 80", ("--num-layers", "32", "dense")),
        ("--hidden-size 8192", ("4096",)),
        ("--num-experts 8", ("no such part",)),
        ("--num-query-groups 4", ("8",)),
        ("--vocab-size 32000", ("128256",)),
        ("--pipeline-model-parallel-size 3 --num-layers-per-virtual-pipeline-stage 4", ("divisor",)),
        ("--pipeline-model-parallel-size 2 --pipeline-model-parallel-layout Et|t|tL", ("divide over 2",)),
        ("--fp8-format hybrid --fp8-recipe mx", ("mxfp8",)),
        ("--cuda-graph-impl whole", ("local",)),
        ("--use-distributed-optimizer --num-distributed-optimizer-instances 7", ("divisor",)),
    ],
)
def test_bad_arguments(text: str, words: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    for word in words:
        assert word in str(caught.value)


def test_switches_of_the_shape_must_be_those_of_the_model() -> None:
    assert not read("--swiglu --untie-embeddings-and-output-weights").without_effect
    with pytest.raises(InputError, match="--untie-embeddings-and-output-weights"):
        read("--untie-embeddings-and-output-weights", replace(DENSE, tied_embeddings=True))
    with pytest.raises(InputError, match="--swiglu"):
        read("--swiglu", replace(DENSE, gated=False))


def test_a_padded_vocabulary_is_the_same_model() -> None:
    assert read("--vocab-size 128512").values["tp"] == 1


def test_uneven_layers_are_placed_as_the_planner_places_them() -> None:
    run = Run(model=DEEPSEEK, device=GB200, sequence=4096, global_batch=4096)
    text = export_plan("megatron", run, Layout(pp=4, chunks=4, ep=64, dp=64), BRIDGE).text
    placed = text.partition("--pipeline-model-parallel-layout '")[2].partition("'")[0].split("|")
    assert len(placed) == 16
    assert sum(part.count("t") for part in placed) == 61
    assert (placed[0], placed[-1]) == ("Ettt", "tttmL")
    assert "--num-virtual-stages-per-pipeline-rank" not in text
    assert import_plan("megatron", text, DEEPSEEK, 256).values["chunks"] == 4


def test_the_whole_model_is_written() -> None:
    text = export_plan("megatron", dense_run(), Layout(dp=8), BRIDGE).text
    for words in (
        "--num-layers 32", "--hidden-size 4096", "--num-query-groups 8", "--group-query-attention", "--swiglu",
        "--untie-embeddings-and-output-weights", "--normalization RMSNorm", "--disable-bias-linear",
    ):  # fmt: skip
        assert words in text


@pytest.mark.parametrize("schedule", ["gpipe", "zb-1p", "zb-2p", "dualpipe"])
def test_schedules_that_it_lacks_are_named(schedule: str) -> None:
    exported = export_plan("megatron", dense_run(), Layout(pp=2, dp=4, schedule=schedule), BRIDGE)
    (note,) = [note for note in exported.notes if note.knob == "schedule"]
    assert schedule in note.words
