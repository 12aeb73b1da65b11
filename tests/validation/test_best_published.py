"""What has been published at best, which optima are held against."""

from __future__ import annotations

from dataclasses import replace

from scalewall.planner.device import load_device
from scalewall.planner.planning import question_of
from scalewall.validation.best_published import best_published

RUN = question_of("gpt3-175b", "a100-80gb", 512, 1536, 2048).run


def test_the_best_on_an_a100() -> None:
    best = best_published(RUN)
    assert best is not None
    assert 0.57 < best.mfu < 0.65
    assert best.reference


def test_a_machine_without_published_runs_has_none() -> None:
    assert best_published(replace(RUN, device=load_device("h20"))) is None


def test_low_precision_is_another_kind() -> None:
    h100 = question_of("llama3-70b", "h100", 64, 64, 8192).run
    plain, low = best_published(h100), best_published(replace(h100, precision="fp8-delayed"))
    assert plain is not None
    assert low is not None
    assert low.mfu > plain.mfu
