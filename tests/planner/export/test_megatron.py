"""Megatron-LM: documented arguments read as what they mean, unknown ones refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scalewall.errors import InputError
from scalewall.planner.export import Imported, export_plan, import_plan
from scalewall.planner.export.places import placed_chunks
from scalewall.planner.layout import Layout
from scalewall.planner.run import Run
from scalewall.workload.models import read_model
from scalewall.workload.transformer import Transformer
from tests.planner.samples import BRIDGE, DENSE, GB200, MIXTURE, dense_run, mixture_run

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


def test_of_arguments_given_twice_the_last_counts() -> None:
    found = read("--tensor-model-parallel-size 2 --bf16 --tensor-model-parallel-size 4 --bf16")
    assert found.values["tp"] == 4
    assert found.notes == ("--tensor-model-parallel-size given twice: the last one counts",)


@pytest.mark.parametrize(
    ("text", "idle"),
    [
        ("--fp8-recipe mxfp8", "--fp8-recipe"),
        ("--recompute-modules mlp", "--recompute-modules"),
        ("--recompute-granularity selective --recompute-num-layers 1", "--recompute-num-layers"),
        ("--num-query-groups 8", "--num-query-groups"),
        ("--moe-token-dispatcher-type flex", "--moe-token-dispatcher-type"),
    ],
)
def test_what_needs_something_else_has_no_effect_alone(text: str, idle: str) -> None:
    assert read(text).without_effect == (idle,)


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
        ("--bf16 --fp16", ("--fp16", "one of --bf16, --fp16")),
        ("--fp8-format hybrid --fp4-format e2m1", ("--fp4-format", "--fp8-format")),
        ("--recompute-activations --recompute-granularity full", ("--recompute-activations",)),
        ("--use-torch-fsdp2 --use-distributed-optimizer", ("--use-distributed-optimizer",)),
        (
            "--num-layers-per-virtual-pipeline-stage 4 --num-virtual-stages-per-pipeline-rank 2",
            ("--num-virtual-stages-per-pipeline-rank",),
        ),
        ("--pipeline-model-parallel-layout Et*30L", ("a t for each of 32 layers",)),
        ("--pipeline-model-parallel-layout Ex*32L", ("E, t, m, L, |",)),
        ("--pipeline-model-parallel-layout t*99999999999", ("at most 1000",)),
        ("--pipeline-model-parallel-layout (((t)*999)*999)*999", ("at most 10000 places",)),
        ("--seq-length=", ("--seq-length", "whole number")),
        ("--seq-length NaN", ("--seq-length", "whole number")),
        ("--global-batch-size " + "9" * 5000, ("--global-batch-size", "whole number")),
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
    placed = text.partition("--pipeline-model-parallel-layout '")[2].partition("'")[0]
    assert placed == "Ettt|(tttt|)*13ttt|tttmL"
    assert placed_chunks(placed, pp=16, layers=61) == 1
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


EXAMPLES = {
    "gpt3-175b": """--num-layers 96 --hidden-size 12288 --num-attention-heads 96 --seq-length 2048
        --max-position-embeddings 2048 --attention-backend auto --micro-batch-size 1 --global-batch-size 1536
        --rampup-batch-size 16 16 5859375 --train-iters 500000 --weight-decay 0.1 --adam-beta1 0.9 --adam-beta2 0.95
        --init-method-std 0.006 --clip-grad 1.0 --fp16 --lr 6.0e-5 --lr-decay-style cosine --min-lr 6.0e-6
        --lr-warmup-fraction .001 --lr-decay-iters 430000 --tensor-model-parallel-size 8
        --pipeline-model-parallel-size 16 --data-path d --vocab-file v --merge-file m --split 949,50,1
        --log-interval 100 --save-interval 10000 --eval-interval 1000 --save s --load s --eval-iters 10
        --tensorboard-dir t""",
    "llama3-8b": """--use-mcore-models --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336
        --num-attention-heads 32 --group-query-attention --num-query-groups 8 --kv-channels 128 --seq-length 8192
        --position-embedding-type rope --rotary-base 1000000 --rotary-percent 1.0 --attention-dropout 0.0
        --hidden-dropout 0.0 --swiglu --apply-layernorm-1p --untie-embeddings-and-output-weights
        --disable-bias-linear --micro-batch-size 1 --global-batch-size 128 --train-samples 1953125000
        --lr-decay-samples 1949218748 --lr-warmup-samples 3906252 --decoupled-lr 5.0e-4 --decoupled-min-lr 4.5e-5
        --bf16 --grad-reduce-in-bf16 --cross-entropy-loss-fusion --calculate-per-token-loss --manual-gc
        --empty-unused-memory-level 1 --exit-duration-in-mins 235 --fp8-format hybrid --fp8-amax-history-len 1024
        --fp8-amax-compute-algo max --fp8-param-gather --tensor-model-parallel-size 1 --context-parallel-size 2
        --sequence-parallel --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather
        --log-throughput --profile --profile-step-start 4 --profile-step-end 6 --ckpt-format torch_dist
        --distributed-timeout-minutes 60 --mock-data --tokenizer-type NullTokenizer --vocab-size 128256
        --data-cache-path c --tiktoken-pattern v2 --no-create-attention-mask-in-dataloader --no-mmap-bin-files
        --num-workers 1""",
    "mixtral-8x7b": """--num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32
        --normalization RMSNorm --swiglu --untie-embeddings-and-output-weights --group-query-attention
        --num-query-groups 8 --no-masked-softmax-fusion --no-position-embedding --num-experts 8 --moe-router-topk 2
        --moe-router-load-balancing-type aux_loss --moe-aux-loss-coeff 1e-2 --moe-grouped-gemm
        --moe-token-dispatcher-type alltoall --tokenizer-type Llama2Tokenizer --tokenizer-model t
        --lr-warmup-iters 500 --pipeline-model-parallel-size 4 --expert-model-parallel-size 8
        --use-distributed-optimizer --sequence-parallel""",
}
"""Arguments of the scripts in Megatron-LM's own folder of examples, without the repeated ones."""


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_frameworks_own_examples_are_understood(name: str) -> None:
    found = read(EXAMPLES[name], read_model(name).model)
    assert found.values["pp"] == {"gpt3-175b": 16, "llama3-8b": 1, "mixtral-8x7b": 4}[name]
    assert found.without_effect


def test_graphs_cover_what_the_run_says() -> None:
    for run, scope in (
        (dense_run(graphs="partial"), "attn"),
        (mixture_run(graphs="partial"), "attn moe_router moe_preprocess"),
        (mixture_run(graphs="router"), "moe_router moe_preprocess"),
        (dense_run(graphs="full"), "full_iteration"),
    ):
        lines = export_plan("megatron", run, Layout(dp=4), BRIDGE).text.splitlines()
        assert any(line.removesuffix(" \\") == f"--cuda-graph-scope {scope}" for line in lines)
    assert "--cuda-graph" not in export_plan("megatron", dense_run(), Layout(dp=4), BRIDGE).text


def test_norms_of_latent_attention_are_switched_on() -> None:
    run = dense_run(GB200, model=DEEPSEEK)
    assert "--qk-layernorm" in export_plan("megatron", run, Layout(ep=8, dp=8), BRIDGE).text
