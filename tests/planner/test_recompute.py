"""What selective recomputation computes again, and activations that wait in the host's memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scalewall.errors import InputError
from scalewall.planner.layer import layer_passes
from scalewall.planner.layout import Layout
from scalewall.planner.recompute import MODULES, matmul_share
from scalewall.planner.run import check_run
from scalewall.planner.step import step_time
from scalewall.workload.models import read_model
from tests.planner.samples import BRIDGE, DENSE, H100, MIXTURE, dense_run, mixture_run


def test_share_of_the_feed_forward_part_by_hand() -> None:
    feed, attention = 3 * 4096 * 14336, 2 * 4096 * 4096 + 2 * 4096 * 1024
    assert matmul_share(DENSE, "mlp", experts=False) == pytest.approx(feed / (feed + attention))
    assert matmul_share(DENSE, "moe", experts=False) == 0.0


def test_dense_feed_forward_parts_are_none_of_a_layer_of_experts() -> None:
    assert matmul_share(MIXTURE, "mlp", experts=True) == 0.0
    assert 0.5 < matmul_share(MIXTURE, "moe", experts=True) < 1.0


def test_up_projections_of_latent_attention() -> None:
    model = read_model("deepseek-v3").model
    assert 0.05 < matmul_share(model, "mla_up_proj", experts=True) < 0.3
    assert matmul_share(DENSE, "mla_up_proj", experts=False) == 0.0


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("experts", [False, True])
def test_a_part_never_takes_longer_than_the_whole_layer(module: str, experts: bool) -> None:
    run = mixture_run() if experts else dense_run()
    part = Layout(recompute="selective", recompute_modules=(module,))
    again = [
        layer_passes(run, layout, BRIDGE, experts=experts).input_gradient.get("recompute", 0.0)
        for layout in (part, Layout(recompute="full"))
    ]
    assert 0.0 <= again[0] <= again[1]


def test_unknown_parts_are_refused_with_the_nearest() -> None:
    with pytest.raises(InputError) as caught:
        Layout(recompute="selective", recompute_modules=("mpl",))
    assert "mlp" in caught.value.suggestions


def test_offloading_costs_what_the_link_does_not_hide() -> None:
    layout = Layout(dp=8, offloaded_layers=32)
    slow = replace(H100, host_bandwidth=1e9)
    kept, hidden, exposed = (
        step_time(dense_run(device), one, BRIDGE)
        for device, one in (
            (H100, Layout(dp=8)),
            (replace(H100, host_bandwidth=1e13), layout),
            (slow, layout),
        )
    )
    assert hidden.seconds == pytest.approx(kept.seconds)
    assert exposed.parts["offload"] > kept.seconds


@pytest.mark.parametrize("layers", [-1, 33])
def test_more_layers_than_there_are_cannot_be_offloaded(layers: int) -> None:
    with pytest.raises(InputError, match="offloaded_layers"):
        check_run(dense_run(), Layout(dp=8, offloaded_layers=layers))


def test_offloading_is_for_runs_without_a_pipeline() -> None:
    with pytest.raises(InputError, match="pipeline"):
        Layout(pp=2, offloaded_layers=3)
