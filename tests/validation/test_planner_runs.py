"""Published runs: the file that comes with the package, and files in the exchange format."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scalewall.errors import InputError
from scalewall.planner.profile import load_profile
from scalewall.report.validation_tables import profiles_table, reasons_table, too_large_table
from scalewall.validation.planner_cases import cases_of, family_of
from scalewall.validation.planner_validation import predict_rows, refit_profiles
from scalewall.validation.runs import load_published, read_records, record_line
from scalewall.validation.runs_import import import_runs
from scalewall.validation.runs_machine import machine_of

ROW: dict[str, object] = {
    "id": "somewhere-001",
    "source_key": "somewhere",
    "source": "a table",
    "framework": "Megatron-Bridge",
    "release": "26.02",
    "kind": "train",
    "arch": "dense",
    "model_name": "Llama3-8B",
    "layers": 32,
    "hidden": 4096,
    "ffn": 14336,
    "gated_mlp": True,
    "heads": 32,
    "kv_heads": 8,
    "head_dim": 128.0,
    "vocab": 128256,
    "tied_embeddings": False,
    "seq": 8192,
    "gpu": "H100",
    "n_gpus": 8,
    "precision": "fp8 (current scaling)",
    "gbs": 128,
    "mbs": 1,
    "tp": 1,
    "cp": 1,
    "pp": 1,
    "dp": 8,
    "zero": "3 (megatron-fsdp)",
    "recompute": "none",
    "derived_step_time_s": 9.3,
}


def _line(**changes: object) -> str:
    row = {key: value for key, value in (ROW | changes).items() if value is not None}
    return json.dumps(row) + "\n"


def test_the_packages_runs() -> None:
    steps = load_published()
    assert len(steps) > 1000
    assert len({step.id for step in steps}) == len(steps)
    assert all(step.reference and step.source for step in steps)
    assert sum(step.core for step in steps) > 500


def test_nearly_every_core_run_can_be_expressed() -> None:
    core = [step for step in load_published() if step.core]
    cases, refused = cases_of(core)
    assert len(cases) >= 0.97 * len(core)
    assert all(refused.values())


def test_written_as_read() -> None:
    steps = load_published()[:50]
    assert tuple(read_records("".join(record_line(step) + "\n" for step in steps))) == steps


def test_unknown_column() -> None:
    with pytest.raises(InputError, match="speed"):
        read_records('{"id": "a", "speed": 3}')


def test_one_run_of_the_exchange_format() -> None:
    (step,) = import_runs(_line())
    assert step.released == "2026-02"
    assert step.basis == "throughput"
    assert step.run["precision"] == "fp8-current"
    assert step.layout["sharding"] == "parameters"
    (row,), _ = predict_rows([step])
    assert row.profile == "bridge-2026"
    assert row.predicted == pytest.approx(9.3, rel=0.15)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"arch": "hybrid"}, "hybrid"),
        ({"gbs": None}, "gbs"),
        ({"gpu": "abacus"}, "abacus"),
        ({"gbs": 12}, "dp x microbatch"),
        ({"n_gpus": 9, "tp": 2}, "multiple"),
        ({"heads": 0}, "heads"),
        ({"heads": -3}, "heads: '-3' is not a count"),
        ({"layers": 0}, "layers"),
    ],
)
def test_what_cannot_be_expressed_has_a_reason(changes: dict[str, object], reason: str) -> None:
    (row,), _ = predict_rows(import_runs(_line(**changes)))
    assert row.predicted is None
    assert reason in row.reason


@pytest.mark.parametrize(
    ("gpu", "name"),
    [
        ("H100-80GB", "h100"),
        ("NVIDIA H100 SXM5 80 GB", "h100"),
        ("H100 PCIe 80GB", "h100-pcie"),
        ("A100-SXM4-40GB", "a100-40gb"),
        ("A100", "a100-80gb"),
        ("GB200 NVL72", "gb200-nvl72"),
        ("DGX B200", "b200"),
        ("gb300-nvl72", "gb300-nvl72"),
        ("TPU v5p", "tpu-v5p"),
    ],
)
def test_accelerators_are_found_whatever_their_form_is_written_as(gpu: str, name: str) -> None:
    assert machine_of({"gpu": gpu})["name"] == name


def test_the_memory_stated_tells_kinds_of_an_accelerator_apart() -> None:
    assert machine_of({"gpu": "A100", "gpu_mem_gb": 40})["name"] == "a100-40gb"
    assert machine_of({"gpu": "H100", "gpu_mem_gb": 96})["power.watts"] == 500.0


def test_a_die_of_two_is_half_an_accelerator() -> None:
    (whole,), _ = predict_rows(import_runs(_line(gpu="MI250X", precision="bf16")))
    (die,), _ = predict_rows(import_runs(_line(gpu="MI250X (GCD)", precision="bf16")))
    assert die.predicted > 1.8 * whole.predicted


def test_the_kind_of_model_and_its_gates_are_known_by_what_is_there() -> None:
    (step,) = import_runs(_line(arch=None, gated_mlp=None, vocab=None))
    assert step.architecture["ffn"] == 14336
    assert step.architecture.get("gated", True)
    assert "feed-forward parts with gates, by their width" in step.assumed
    assert "vocabulary of 51200" in step.assumed
    (step,) = import_runs(_line(arch=None, gated_mlp=None, ffn=16384))
    assert step.architecture["gated"] is False
    experts = {"moe_experts": 8, "moe_topk": 2, "moe_ffn": 14336}
    (step,) = import_runs(_line(arch=None, **experts))
    assert step.architecture["experts"]["routed"] == 8


@pytest.mark.parametrize(
    ("zero", "layout"),
    [
        ("2/3 hybrid (HSDP)", {"sharding": "parameters", "shard_ranks": 8}),
        ("3 over 16 GPUs", {"sharding": "parameters", "shard_ranks": 16}),
        ("3 (FSDP)", {"sharding": "parameters"}),
        ("2", {"sharding": "gradients"}),
        ("1 over 64 GPUs", {}),
        ("none", {"sharding": "none"}),
    ],
)
def test_sharding(zero: str, layout: dict[str, object]) -> None:
    (step,) = import_runs(_line(n_gpus=64, dp=64, zero=zero))
    assert {key: step.layout[key] for key in ("sharding", "shard_ranks") if key in step.layout} == layout


def test_sharding_inside_slices() -> None:
    zero, note = "3 (FSDP in slice, DP across slices)", "4 slice(s) of 16 chips"
    (step,) = import_runs(_line(n_gpus=64, tp=4, dp=16, zero=zero, note=note))
    assert step.layout["shard_ranks"] == 4


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(sorted(ROW)),
    st.one_of(
        st.none(),
        st.integers(-3, 99),
        st.floats(),
        st.text(max_size=5),
        st.booleans(),
        st.just([]),
        st.just({}),
    ),
)
def test_no_value_of_a_field_is_a_crash(key: str, value: object) -> None:
    row = ROW | {key: value, "id": "x"}
    (found,), _ = predict_rows(import_runs(json.dumps(row)))
    assert found.predicted or found.reason


def test_unknown_framework_says_how_its_profile_was_found() -> None:
    (row,), _ = predict_rows(import_runs(_line(framework="Abacus", release="2023-11")))
    assert row.predicted
    assert "no profile knows" in row.found


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[1, 2]",
        '{"layers": 3}',
        "3",
        '{"id": null}',
        '{"id": ""}',
        "[" * 100_000,
        '{"id": ' + "9" * 5000,
    ],
)
def test_bad_lines(text: str) -> None:
    with pytest.raises(InputError, match="line 1"):
        import_runs(text)


def test_no_two_runs_share_an_id_and_a_file_has_some() -> None:
    with pytest.raises(InputError, match="line 3"):
        import_runs(_line() + "\n" + _line())
    with pytest.raises(InputError, match="at least one"):
        import_runs("\n\n")


@pytest.mark.parametrize(("key", "value"), [("layers", "x"), ("tp", 1.5), ("gbs", -8), ("seq", True)])
def test_what_is_no_count_is_named(key: str, value: object) -> None:
    (row,), _ = predict_rows(import_runs(_line(**{key: value})))
    assert row.predicted is None
    assert row.reason.startswith(f"{key}: {str(value)!r}")


def test_measurements_that_are_none_do_not_count() -> None:
    text = _line(derived_step_time_s=float("nan"), peak_mem_gb=float("inf"))
    (step,) = import_runs(text)
    assert step.step_seconds == step.memory_bytes == 0.0


def test_a_file_of_runs_in_words() -> None:
    rows, _ = predict_rows(import_runs(_line() + _line(id="b", framework="Abacus") + _line(id="c", gbs=None)))
    profiles, reasons = profiles_table(rows), reasons_table(rows)
    assert [str(line[2]) for line in profiles.rows] == ["1", "1", "2"]
    assert reasons.rows == (("gbs is not given", "1", "c"),)


def test_what_is_not_stated_is_assumed_and_said() -> None:
    (step,) = import_runs(_line(mbs=None, recompute=None, precision="fp8"))
    assert "microbatch 4" in step.assumed
    assert "no recomputation" in step.assumed
    assert "fp8 with delayed scaling" in step.assumed


def test_what_cuda_graphs_cover() -> None:
    texts = (
        "cuda_graph=transformer_engine:['moe_router', 'moe_preprocess']",
        "cuda_graph=transformer_engine:['attn', 'moe_router']",
        "cuda_graph=local:full_iteration",
    )
    found = [import_runs(_line(overlap=text))[0].run["graphs"] for text in texts]
    assert found == ["router", "partial", "full"]


def test_layers_offloaded_as_stated_or_as_in_the_releases_preset() -> None:
    (stated,) = import_runs(_line(recompute_detail="cpu_offloading_num_layers=12"))
    assert stated.layout["offloaded_layers"] == 12
    assert not any("host" in word for word in stated.assumed)
    (preset,) = import_runs(_line(model_name="Llama3-70B", gpu="GB200"))
    assert preset.layout["offloaded_layers"] == 40
    assert any("preset" in word for word in preset.assumed)


def test_runs_beside_the_cards_are_those_of_the_main_branch() -> None:
    (step,) = import_runs(_line(source_key="mbridge_skill_overlap", release=None))
    assert step.framework == "Megatron-Bridge main"


def test_a_whole_step_is_captured_where_shapes_stay() -> None:
    late = {"release": "26.08", "arch": "moe", "gpu": "GB200", "moe_dispatch": "dropless, force-balanced"}
    late |= {"moe_experts": 8, "moe_topk": 2, "moe_ffn": 14336}
    (step,) = import_runs(_line(**late))
    assert step.run["graphs"] == "full"
    assert any("whole step" in word for word in step.assumed)
    for changes in ({"release": "26.04"}, {"gpu": "H100"}, {"overlap": "EP comm overlap"}):
        (other,) = import_runs(_line(**(late | changes)))
        assert "graphs" not in other.run


def test_runs_that_their_source_calls_untypical_are_judged_and_not_fitted() -> None:
    (step,) = import_runs(_line(note="Tiny batch: dominated by overheads."))
    assert step.not_fitted
    (row,), (case,) = predict_rows([step])
    assert row.predicted
    refitted = refit_profiles([case], lambda *progress: None, "2026-11-30")
    assert refitted["bridge-2026"] == load_profile("bridge-2026")


def test_how_close_a_run_that_ran_is_to_its_memory() -> None:
    (row,), _ = predict_rows(import_runs(_line(mbs=16)))
    assert row.too_large
    assert row.memory is not None
    assert row.share_of_memory == row.memory / (row.capacity or 0.0)
    table = too_large_table([row])
    assert f"{100 * row.share_of_memory:.1f} %" in str(table.rows[0][-1])


def test_families() -> None:
    assert family_of("mbridge_26.02") == family_of("mbridge_cards") == "Megatron-Bridge"
    assert family_of("dgxc") == family_of("nemo2407")
    assert family_of("torchtitan") == "torchtitan"
