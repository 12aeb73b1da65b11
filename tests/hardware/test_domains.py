"""Machines under the ideal model: what a network domain is worth."""

import pytest

from scalewall.ideal.limits import limits_of
from scalewall.ideal.study import LimitsStudy


def _curve(name: str, **overrides: float):
    settings = {path.replace("_", ".", 2): value for path, value in overrides.items()}
    study = LimitsStudy(machines=(name,), overrides=settings, grid=(3, 12288, 400000))
    return {point.d_model: point for point in limits_of(study, name).points}


@pytest.mark.parametrize("small", [8, 36])
def test_a_larger_domain_is_never_worse_at_equal_links(small):
    few, many = _curve("gb200-nvl72", network_0_size=small), _curve("gb200-nvl72")
    assert set(few) <= set(many)
    assert len(few) >= 8
    for d_model, point in few.items():
        assert many[d_model].utilization >= point.utilization * (1 - 1e-12), d_model


def test_gtx_580_in_2012_comes_out_as_epoch_reports():
    """About 1e26 FLOP on 16 million accelerators: data 1024, pipeline 32, tensor 512 ways."""
    study = LimitsStudy(machines=("gtx-580",), precision=32, reference=True)
    limits = limits_of(study, "gtx-580")
    assert limits.linear_scaling.first_failure_flop == pytest.approx(1.1e26, rel=0.05)
    point = next(p for p in limits.points if p.training_flop == limits.linear_scaling.first_failure_flop)
    assert point.n_gpu == 2**24
    plan = point.plan
    degrees = [d[0] * d[1] for d in (plan.dp, plan.pp, plan.tp_model, plan.tp_ff)]
    assert degrees[:2] == [1024, 32]
    assert degrees[2] * degrees[3] == 512
