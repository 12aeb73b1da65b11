"""The progress bar: only for a person, only for work that takes a while."""

from __future__ import annotations

import pytest

from scalewall.cli import progress


@pytest.mark.parametrize(
    ("watched", "seconds", "shown"), [(True, 10.0, True), (True, 0.1, False), (False, 10.0, False)]
)
def test_the_bar_shows_for_long_work_that_is_watched(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    watched: bool,
    seconds: float,
    shown: bool,
) -> None:
    moments = iter((0.0, seconds, seconds))
    monkeypatch.setattr(progress, "monotonic", lambda: next(moments))
    monkeypatch.setattr(progress, "to_terminal", lambda: watched)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress.progress_bar() as update:
        update("h100", 1, 2)
        update("h100", 2, 2)
    err = capsys.readouterr().err
    assert ("h100" in err) == shown


@pytest.mark.parametrize("watched", [True, False])
def test_a_line_says_what_is_worked_on_where_someone_watches(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], watched: bool
) -> None:
    monkeypatch.setattr(progress, "to_terminal", lambda: watched)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress.status_line() as show:
        show("512 h100 ...")
    assert ("512 h100" in capsys.readouterr().err) == watched
