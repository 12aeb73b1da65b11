"""Megatron Bridge: overrides read as what they mean, unknown ones refused; what they leave open stays open."""

from __future__ import annotations

from typing import Any

import pytest

from scalewall.errors import InputError
from scalewall.planner.export import Imported, export_plan, import_plan
from scalewall.planner.layout import Layout
from tests.planner.samples import BRIDGE, DENSE, MIXTURE, MIXTURE_LAYOUT, dense_run, mixture_run


def read(text: str, ranks: int | None = 64) -> Imported:
    return import_plan("nemo", text, DENSE, ranks)


def test_overrides_as_people_write_them() -> None:
    found = read(
        """
        model.tensor_model_parallel_size=4   # within the node
        model.virtual_pipeline_model_parallel_size=null
        model.sequence_parallel=true train.global_batch_size=128 ++train.micro_batch_size=2
        mixed_precision=bf16-with-mxfp8-mixed comm_overlap.tp_comm_overlap=true optimizer.lr=3e-4
        """
    )
    assert found.values == {
        "tp": 4, "sequence_parallel": True, "global_batch": 128, "microbatch": 2, "precision": "mxfp8",
    }  # fmt: skip
    assert found.by_profile == ("comm_overlap.tp_comm_overlap",)
    assert found.without_effect == ("optimizer.lr",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ddp.use_distributed_optimizer=false", {"sharding": "none"}),
        (
            "ddp.use_megatron_fsdp=true ddp.data_parallel_sharding_strategy=optim_grads_params",
            {"sharding": "parameters"},
        ),
        ("model.recompute_granularity=full", {"recompute": "full", "recompute_modules": ()}),
        (
            "model.recompute_granularity=selective model.recompute_modules=[core_attn,mlp]",
            {"recompute": "selective", "recompute_modules": ("core_attn", "mlp")},
        ),
        ("mixed_precision.fp8=hybrid mixed_precision.fp8_recipe=delayed", {"precision": "fp8-delayed"}),
        ("mixed_precision.fp4=e2m1", {"precision": "nvfp4"}),
        ("dataset.sequence_length=8192", {"sequence": 8192}),
        ("model.cuda_graph_impl=local model.cuda_graph_scope=full_iteration", {"graphs": "full"}),
        ("ddp.num_distributed_optimizer_instances=2 model.tensor_model_parallel_size=2", {"tp": 2, "shard_ranks": 16}),
    ],
)  # fmt: skip
def test_overrides_and_their_meaning(text: str, expected: dict[str, Any]) -> None:
    assert read(text).values == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("model.tensor_parallel_size=4", ("model.tensor_model_parallel_size",)),
        ("tensor_model_parallel_size", ("key=value",)),
        ("model.sequence_parallel=yes", ("true", "false")),
        ("model.num_layers=80", ("32",)),
        ("model.share_embeddings_and_output_weights=true", ("false",)),
        ("model.num_moe_experts=8", ("no such part",)),
        ("mixed_precision=fp8", ("bf16_mixed",)),
        ("model.seq_length=4096 dataset.sequence_length=8192", ("4096",)),
        ("model.recompute_granularity=full model.recompute_method=block", ("uniform",)),
        ("'unfinished", ("key=value",)),
        ("dist.num_distributed_optimizer_instances=7", ("divisor",)),
        ("mixed_precision.fp8=hybrid mixed_precision.fp4=e2m1", ("mixed_precision.fp4", "one of")),
        (
            "ddp.use_distributed_optimizer=true optimizer.use_distributed_optimizer=false",
            ("ddp.use_distributed_optimizer", "the same"),
        ),
    ],
)
def test_bad_overrides(text: str, words: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    for word in words:
        assert word in str(caught.value)


def test_of_overrides_given_twice_the_last_counts() -> None:
    found = read("model.context_parallel_size=2 ++model.context_parallel_size=4")
    assert found.values == {"cp": 4}
    assert found.notes == ("model.context_parallel_size given twice: the last one counts",)


def test_what_needs_something_else_has_no_effect_alone() -> None:
    for key, value in (
        ("model.recompute_modules", "[mlp]"),
        ("model.moe_flex_dispatcher_backend", "deepep"),
        ("model.cuda_graph_scope", "attn"),
    ):
        assert read(f"{key}={value}").without_effect == (key,)


def test_experts() -> None:
    exported = export_plan("nemo", mixture_run(expert_overlap=True), MIXTURE_LAYOUT, BRIDGE)
    for line in (
        "model.num_moe_experts=128",
        "model.moe_token_dispatcher_type=flex",
        "model.moe_flex_dispatcher_backend=deepep",
        "comm_overlap.overlap_moe_expert_parallel_comm=true",
        "model.expert_model_parallel_size=16",
    ):
        assert line in exported.text.splitlines()
    assert import_plan("nemo", exported.text, MIXTURE, 16).values["expert_overlap"] is True


def test_one_override_a_line() -> None:
    lines = export_plan("nemo", dense_run(), Layout(tp=2, dp=4), BRIDGE).text.splitlines()
    assert all(line.count("=") == 1 for line in lines)
    assert len({line.partition("=")[0] for line in lines}) == len(lines)
