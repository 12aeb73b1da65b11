"""Hand-made limits to show: a dozen points of a curve that falls, and machines in every special case."""

from __future__ import annotations

from dataclasses import dataclass

from scalewall.ideal.limits import Limits
from scalewall.ideal.results import InfeasiblePoint, LinearScaling, Plan, Point

DURATION = 7.885e6
# d_model, layers, training FLOP, accelerators, utilization, TP (d_model, d_ff), PP, DP, microbatches
ROWS = (
    (12288, 192, 6.454885e24, 2048, 0.698994, 4, 8, 64, 1, 128),
    (20480, 288, 1.120640e26, 32768, 0.686937, 8, 8, 32, 16, 64),
    (32768, 384, 1.305640e27, 262144, 0.686546, 8, 16, 128, 16, 256),
    (45056, 512, 8.296820e27, 2097152, 0.669863, 16, 16, 512, 16, 1024),
    (49152, 576, 1.487205e28, 4194304, 0.607246, 8, 32, 64, 256, 128),
    (53248, 576, 2.048422e28, 8388608, 0.552666, 8, 64, 64, 256, 128),
    (57344, 640, 3.401521e28, 8388608, 0.618941, 16, 32, 128, 128, 256),
    (73728, 768, 1.338485e29, 67108864, 0.432119, 32, 32, 256, 256, 512),
    (98304, 896, 5.757872e29, 268435456, 0.360016, 32, 64, 128, 1024, 128),
    (122880, 1152, 2.323758e30, 1073741824, 0.283071, 64, 128, 128, 1024, 256),
    (163840, 1280, 9.066944e30, 8589934592, 0.158091, 128, 256, 256, 1024, 512),
    (196608, 1536, 2.707375e31, 68719476736, 0.051746, 64, 512, 64, 32768, 64),
)


def make_point(row: tuple[int, int, float, int, float, int, int, int, int, int], sustained: float) -> Point:
    d_model, layers, training_flop, n_gpu, utilization, tp_model, tp_ff, pp, dp, microbatches = row
    parameters = 2.0 * d_model * 4 * d_model * layers
    batch_tokens = (training_flop / 3e23) ** (1 / 6) * 2048.0**2
    run_seconds = training_flop / (989.4e12 * n_gpu * utilization)
    batch_seconds = run_seconds * batch_tokens / (20.0 * parameters)
    arithmetic = batch_seconds * utilization / sustained
    rest = max(0.0, batch_seconds - arithmetic)
    attributed = {
        "arithmetic": batch_seconds - rest,
        "kernel_latency": 0.35 * rest,
        "tensor_communication": 0.3 * rest,
        "network_latency": 0.25 * rest,
        "data_communication": 0.1 * rest,
        "pipeline_bubble": 0.0,
        "hbm": 0.0,
    }
    others = {part: seconds for part, seconds in attributed.items() if part != "arithmetic"}
    binds = max(others, key=lambda part: others[part]) if utilization < 0.98 * sustained else "arithmetic"
    return Point(
        d_model=d_model,
        d_ff=4 * d_model,
        layers=layers,
        sparsity=1,
        batch_tokens=batch_tokens,
        parameters=parameters,
        tokens=20.0 * parameters,
        training_flop=training_flop,
        n_gpu=n_gpu,
        idle_gpu=0,
        utilization=utilization,
        batch_seconds=batch_seconds,
        run_seconds=run_seconds,
        plan=Plan(
            dp=(1, dp),
            tp_model=(min(8, tp_model), tp_model // min(8, tp_model)),
            tp_ff=(8 // min(8, tp_model), tp_ff * min(8, tp_model) // 8),
            pp=(1, pp),
            ep=(1, 1),
            microbatches=microbatches,
            interleave=1,
            zero_bubble=True,
        ),
        component_seconds=attributed | {"hbm": 0.2 * batch_seconds},
        attributed_seconds=attributed,
        binds=binds,
    )


def make_limits(
    machine: str = "h100",
    title: str = "NVIDIA H100 SXM5 80 GB",
    *,
    shift: float = 1.0,
    band: LinearScaling | None = None,
    rows: int = len(ROWS),
    infeasible: bool = True,
    warnings: tuple[str, ...] = (),
) -> Limits:
    """Return a machine's limits; ``shift`` moves the curve in compute, ``rows`` keeps the first rows only."""
    sustained = 0.7
    chosen = tuple((row[0], row[1], row[2] * shift, *row[3:]) for row in ROWS[:rows])
    points = tuple(make_point(row, sustained) for row in chosen)
    return Limits(
        machine=machine,
        title=title,
        points=points,
        infeasible=(InfeasiblePoint(212992, 4.1e31 * shift, "no plan finishes in time"),)
        if infeasible
        else (),
        linear_scaling=band or LinearScaling(2.048422e28 * shift, 3.401521e28 * shift, 0.8, 0.56, False),
        largest_feasible_flop=points[-1].training_flop if points else None,
        closed_forms={"critical_compute_flop": 1.92e28, "latency_wall_flop": 2.3e31},
        sustained_fraction=sustained,
        duration_seconds=DURATION,
        assumptions={
            "version": "0.1.0",
            "precision": 16,
            "search": {"method": "reference", "domain_filling": "exact", "bounds": {}, "tensor_levels": None},
            "laws": {
                "depth_law": "published",
                "depth_formula": "L = 0.10056 * (d_model*d_ff)^0.3751",
                "width_law": "4x",
                "data_law": "chinchilla-20",
                "batch_law": "critical",
                "rounding": True,
            },
            "model": {"zero_bubble_latency": "free", "overlap_data": False},
            "assumed_figures": {
                "memory.1.bandwidth": "Not published; scaled from the A100's by clock and slice count.",
                "network.1.latency": "Nobody publishes it; the paper's figure for NVLink is used.",
            },
        },
        warnings=warnings,
    )


@dataclass(frozen=True)
class Claim:
    claim: str
    ours: str
    published: str
    verdict: str
    source: str
    note: str


def make_claim(verdict: str, note: str = "") -> Claim:
    return Claim("H100 declines past", "2.05e28 FLOP", "2e28 FLOP", verdict, "article, abstract", note)
