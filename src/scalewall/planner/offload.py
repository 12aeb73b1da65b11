"""Activations that wait in the host's memory: what their way there and back adds to a step."""

from __future__ import annotations

from dataclasses import replace

from scalewall.planner.layer import Passes
from scalewall.planner.layout import Layout
from scalewall.planner.memory import kept_bytes
from scalewall.planner.profile import Profile
from scalewall.planner.run import Run

__all__ = ["with_offload"]


def with_offload(passes: Passes, run: Run, layout: Layout, profile: Profile, *, experts: bool) -> Passes:
    """Return a layer's passes with the exposed part of its activations' transfers.

    Copies travel beside compute in both directions, so a pass takes ``max(compute, bytes / link)`` [1]; the layers
    that are offloaded are spread over all, each layer with its share.

    References
    ----------
    [1] NVIDIA Transformer Engine, user guide, CPU offloading: asynchronous copies on a stream of their own.
    """
    share = layout.offloaded_layers / run.model.layers
    if not share:
        return passes
    moved = share * kept_bytes(run, layout, profile, experts=experts) / run.device.host_bandwidth
    forward, back, weight = passes.seconds
    return replace(
        passes,
        forward=passes.forward | {"offload": max(0.0, moved - forward)},
        input_gradient=passes.input_gradient | {"offload": max(0.0, moved - back - weight)},
    )
