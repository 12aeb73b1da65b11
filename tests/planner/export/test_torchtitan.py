"""torchtitan: files read as what they mean, unknown keys refused, and what it cannot say."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import Any

import pytest

from scalewall.errors import InputError
from scalewall.planner.export import Imported, export_plan, import_plan
from scalewall.planner.layout import Layout
from scalewall.planner.profile import load_profile
from tests.planner.samples import BRIDGE, DENSE, MIXTURE, MIXTURE_LAYOUT, dense_run, mixture_run

NO_AC = '[activation_checkpoint]\nmode = "none"\n'


def read(text: str, ranks: int | None = 64) -> Imported:
    return import_plan("torchtitan", text, DENSE, ranks)


def test_a_file_as_people_write_it() -> None:
    found = read(
        """
        [job]
        dump_folder = "outputs"
        [training]
        local_batch_size = 2
        seq_len = 8192
        [parallelism]
        data_parallel_replicate_degree = 2
        data_parallel_shard_degree = -1
        tensor_parallel_degree = 8
        enable_async_tensor_parallel = true
        [activation_checkpoint]
        mode = "full"
        [compile]
        enable = true
        """
    )
    assert found.values == {
        "tp": 8, "cp": 1, "pp": 1, "dp": 8, "shard_ranks": 4, "sharding": "parameters", "schedule": "1f1b",
        "chunks": 1, "sequence": 8192, "global_batch": 16, "microbatch": 2, "recompute": "full",
        "recompute_modules": (), "precision": "bf16", "sequence_parallel": True, "graphs": "none",
        "compiled": True,
    }  # fmt: skip
    assert found.without_effect == ("job.dump_folder",)
    assert found.by_profile == ("parallelism.enable_async_tensor_parallel",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('fsdp_reshard_after_forward = "never"', {"sharding": "gradients"}),
        (
            "data_parallel_replicate_degree = 64\ndata_parallel_shard_degree = 1",
            {"sharding": "none", "dp": 64},
        ),
        ("pipeline_parallel_degree = 4", {"sharding": "gradients", "schedule": "1f1b", "chunks": 1}),
        (
            'pipeline_parallel_degree = 4\npipeline_parallel_schedule = "Interleaved1F1B"\n'
            "pipeline_parallel_layers_per_stage = 2\npipeline_parallel_first_stage_less_layers = 0\n"
            "pipeline_parallel_last_stage_less_layers = 0",
            {"chunks": 4},
        ),
        ('pipeline_parallel_degree = 4\npipeline_parallel_schedule = "DualPipeV"', {"schedule": "dualpipe"}),
        ('pipeline_parallel_degree = 4\npipeline_parallel_schedule = "GPipe"', {"schedule": "gpipe"}),
    ],
)
def test_parallelism(text: str, expected: dict[str, Any]) -> None:
    found = read(f"{NO_AC}[parallelism]\n{text}").values
    assert {knob: found[knob] for knob in expected} == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[parallelism]\ntensor_parallel = 8", ("parallelism.tensor_parallel_degree",)),
        ("[paralelism]\ntensor_parallel_degree = 8", ("parallelism.tensor_parallel_degree",)),
        ("", ("selective_ac_option", "op")),
        ('[activation_checkpoint]\nmode = "memory_budget"', ("none", "full")),
        (NO_AC + "[parallelism]\ntensor_parallel_degree = 48", ("--gpus",)),
        (NO_AC + '[parallelism]\npipeline_parallel_schedule = "1f1b"', ("1F1B",)),
        (NO_AC + '[model]\nconverters = ["fp8"]', ("float8",)),
        (
            NO_AC + "[training]\nlocal_batch_size = 4\nglobal_batch_size = 1024\n"
            "[parallelism]\npipeline_parallel_degree = 2",
            ("training.local_batch_size",),
        ),
        (
            NO_AC + "[parallelism]\npipeline_parallel_degree = 4\npipeline_parallel_layers_per_stage = 5",
            ("make 7",),
        ),
        ("[parallelism", ("TOML",)),
        ("[training]\nseq_len = 1\nseq_len = 2", ("TOML",)),
        ("[training]\nseq_len = " + "9" * 5000, ("TOML",)),
        ("a = " + "[" * 5000, ("TOML",)),
        (NO_AC + "[training]\nseq_len = nan", ("training.seq_len", "whole number")),
        (NO_AC + '[compile]\nenable = "no"', ("compile.enable", "true or false")),
        (NO_AC + "[model]\nconverters = 8", ("model.converters",)),
        (
            NO_AC + "[parallelism]\npipeline_parallel_degree = 2\npipeline_parallel_layers_per_stage = 8\n"
            'pipeline_parallel_first_stage_less_layers = "one"',
            ("pipeline_parallel_first_stage_less_layers",),
        ),
    ],
)
def test_bad_files(text: str, words: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    for word in words:
        assert word in str(caught.value)


def test_what_needs_something_else_has_no_effect_alone() -> None:
    text = "[activation_checkpoint]\nmode = 'full'\nselective_ac_option = 'op'\n"
    text += "[parallelism]\nexpert_parallel_degree = 2\npipeline_parallel_microbatch_size = 2"
    assert read(text).without_effect == (
        "activation_checkpoint.selective_ac_option",
        "parallelism.expert_parallel_degree",
        "parallelism.pipeline_parallel_microbatch_size",
    )


def test_what_it_writes_is_toml() -> None:
    exported = export_plan("torchtitan", mixture_run(precision="fp8-current"), MIXTURE_LAYOUT, BRIDGE)
    tables = tomllib.loads(exported.text)
    assert tables["parallelism"]["expert_parallel_degree"] == 16
    assert tables["model"]["converters"] == ["quantize.linear.float8", "quantize.grouped_mm.float8"]
    assert tables["quantize"]["linear"]["float8"]["recipe_name"] == "tensorwise"
    assert import_plan("torchtitan", exported.text, MIXTURE, 16).values["dispatcher"] == "deepep"


def test_tensor_parallel_experts_are_all_or_nothing() -> None:
    for etp, noted in ((1, False), (2, True), (4, False)):
        exported = export_plan("torchtitan", mixture_run(), Layout(tp=4, dp=4, ep=4, etp=etp), BRIDGE)
        assert any(note.knob == "etp" for note in exported.notes) == noted


def test_of_its_own_profile_no_word() -> None:
    layout = Layout(dp=8, sharding="parameters", recompute="full")
    own = export_plan("torchtitan", dense_run(), layout, load_profile("torchtitan-2024"))
    other = export_plan("torchtitan", dense_run(), layout, BRIDGE)
    assert not own.notes
    assert [note.knob for note in other.notes] == [""]


def test_layers_that_do_not_divide_are_placed_one_by_one() -> None:
    run = dense_run()
    run = replace(run, model=replace(DENSE, layers=30))
    exported = export_plan("torchtitan", run, Layout(tp=2, pp=4, dp=2, chunks=2), BRIDGE)
    placed = tomllib.loads(exported.text)["parallelism"]["module_fqns_per_model_part"]
    assert len(placed) == 8
    assert sum(name.startswith("layers.") for part in placed for name in part) == 30
    assert placed[0][0] == "tok_embeddings"
    assert placed[-1][-2:] == ["norm", "output"]
    assert import_plan("torchtitan", exported.text, run.model, 16).values["chunks"] == 2
    with pytest.raises(InputError, match="divide over 3"):
        import_plan("torchtitan", exported.text.replace("degree = 4", "degree = 3"), run.model, 12)
