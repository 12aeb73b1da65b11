"""Small runs and layouts for the planner's tests."""

from __future__ import annotations

from dataclasses import replace

from scalewall.planner.device import Device, load_device
from scalewall.planner.layout import Layout
from scalewall.planner.profile import load_profile
from scalewall.planner.run import Run
from scalewall.workload.experts import Experts
from scalewall.workload.transformer import Transformer

H100 = load_device("h100")
A100 = load_device("a100-80gb")
GB200 = load_device("gb200-nvl72")
BRIDGE = load_profile("bridge-2026")
MEGATRON = load_profile("megatron-2022")
DENSE = Transformer(
    name="dense",
    layers=32,
    hidden=4096,
    heads=32,
    kv_heads=8,
    head_dim=128,
    ffn=14336,
    vocab=128256,
)
MIXTURE = Transformer(
    name="mixture",
    layers=16,
    hidden=2048,
    heads=32,
    kv_heads=4,
    head_dim=128,
    ffn=6144,
    vocab=151936,
    experts=Experts(routed=128, top_k=8, ffn=768),
)
LAYOUT = Layout(tp=2, pp=2, dp=4)
MIXTURE_LAYOUT = Layout(dp=16, ep=16)


def dense_run(device: Device = H100, **changes: object) -> Run:
    run = Run(model=DENSE, device=device, sequence=4096, global_batch=64)
    return replace(run, **changes)  # type: ignore[arg-type]


def mixture_run(device: Device = H100, **changes: object) -> Run:
    run = Run(model=MIXTURE, device=device, sequence=4096, global_batch=64, dispatcher="deepep")
    return replace(run, **changes)  # type: ignore[arg-type]
