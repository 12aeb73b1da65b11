"""Pages say where something is set on them, not which option the command line has for it."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from scalewall.errors import InputError
from scalewall.hardware import load_machine
from scalewall.ideal.results import LinearScaling
from scalewall.report import words
from scalewall.report.limit_tables import summary_table
from scalewall.web.found import Found
from scalewall.web.when_task import when_task
from scalewall.web.words import page_error, page_words
from tests.report.samples import make_limits

QUICK = {"machine": "ref-h100", "search": "reference", "generations": 0, "batch_law": "critical"}


def asked(**settings: object) -> Found:
    return when_task(urlencode(QUICK | settings), lambda name, done, total: None)


def test_a_figure_that_a_machine_lacks_is_set_in_a_section_of_the_page() -> None:
    with pytest.raises(InputError) as caught:
        load_machine("l40s")
    assert "--set network.0.size=..." in str(caught.value)
    assert str(page_error(caught.value)) == (
        "machine: 'l40s' is not usable. Allowed: a machine with every figure that the model needs (missing: "
        "network.0.size (depends on the host); network.1.bandwidth (no reference system: depends on the host)); "
        "supply what is missing under 'Figures of the machine'."
    )


def test_other_errors_keep_their_nearest_choice() -> None:
    error = InputError("months", 0, "a number from 0.001 to 1200 months", ["0.001"])
    assert str(page_error(error)) == str(error)


def test_the_when_page_says_on_which_page_a_figure_can_be_set() -> None:
    with pytest.raises(InputError, match="on the Limits page, under 'Figures of the machine'"):
        asked(machine="l40s")


def test_the_when_page_names_its_own_control_for_the_start() -> None:
    found = asked(growth=10)
    told = [*found.sentences, *found.notes, *(note for view in found.tables.values() for note in view.notes)]
    assert any("'Starting from' moves them" in line for line in told)
    assert not [line for line in told if "--" in line]
    assert len(set(found.notes)) == len(found.notes)


@pytest.mark.parametrize(
    ("first", "last"), [(2e28, 3e28), (3e28, 2e28), (None, 2.7e31), (6e24, None)], ids=str
)
def test_sizes_that_were_tried_are_not_called_a_grid(first: float | None, last: float | None) -> None:
    limits = make_limits(band=LinearScaling(first, last, 0.8, 0.56, True))
    for text in (words.finding(limits), *summary_table([limits]).notes):
        assert "grid" not in page_words(text)
    assert page_words(words.finding(make_limits(rows=0))) == (
        "NVIDIA H100 SXM5 80 GB finishes none of the sizes that were tried in 3 months."
    )
