"""``scalewall reproduce`` as users see it, over a few claims made up here."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from scalewall.cli.app import app, main
from scalewall.validation import reproduce as module
from scalewall.validation.claim import Answer, Claim, Tolerance, kept, printed
from scalewall.validation.reproduce import Section
from scalewall.validation.sources import ARTICLE, PROGRAM, SIMULATOR

NOTE = "Because somebody looked twice."
GOOD = Claim(
    name="good",
    claim="H100: declines past",
    published=2e28,
    unit="FLOP",
    source=ARTICLE,
    place="summary",
    digits=1,
    measure=lambda _: Answer(2.05e28),
    tolerance=printed(2e28, 1),
)
OTHER = Claim(
    name="other",
    claim="H100: declines past, any cluster that divides the model",
    published=2.05e28,
    unit="FLOP",
    source=PROGRAM,
    measure=lambda _: Answer(2.04e29, "A detail."),
    tolerance=kept(2.04e29),
    expect="differs",
    found=2.04e29,
    note=NOTE,
)
BAD = Claim(
    name="bad",
    claim="A100: declines past",
    published=3.4e28,
    unit="FLOP",
    source=PROGRAM,
    measure=lambda _: Answer(5e28),
    tolerance=printed(3.4e28, 2),
)
INFORMS = Claim(
    name="gtx",
    claim="GTX 580: accelerators",
    published=16e6,
    unit="accelerators",
    source=SIMULATOR,
    measure=lambda _: Answer(2.0**24),
    tolerance=Tolerance(1.0, "none: assumptions"),
    expect="informs",
)


def invoke(monkeypatch: pytest.MonkeyPatch, *claims: Claim, options: tuple[str, ...] = (), columns: int = 80):
    sections = (
        Section("Claims", "What they rest on.", tuple(one for one in claims if one.expect != "informs")),
        Section("For information", "Assumed.", tuple(one for one in claims if one.expect == "informs")),
    )
    measured = module.reproduce(sections=sections)
    monkeypatch.setattr(module, "reproduce", lambda progress: measured)
    return CliRunner(env={"COLUMNS": str(columns)}).invoke(app, ["reproduce", *options])


@pytest.mark.parametrize("columns", [80, 140])
def test_prints_claim_both_numbers_verdict_source_and_note(
    monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    done = invoke(monkeypatch, GOOD, OTHER, INFORMS, columns=columns)
    assert done.exit_code == 0, done.output
    assert max(map(len, done.stdout.splitlines())) <= columns
    text = " ".join(done.stdout.split())
    for part in (
        "2.05e28 2e28 holds article,",
        "2.04e29 2.05e28 differs",
        "16.8 million 16.0 million",
        "Epoch AI",
    ):
        assert part in text
    assert "3 claims: 1 hold, 1 differ in the way that we found, 1 only inform, 0 fail." in text
    if columns == 80:
        assert NOTE in text
    else:
        assert "Note" in text
    assert "informs" not in text


def test_a_claim_that_fails_ends_with_exit_code_1_and_says_what_was_due(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done = invoke(monkeypatch, GOOD, BAD)
    assert done.exit_code == 1
    text = " ".join(done.stdout.split())
    assert "5.00e28 3.40e28 fails program" in text
    assert "Should be 3.40e28 (within 1.5 %: printed to 2 digits)." in text


def test_json_has_a_record_a_claim_with_plain_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    done = invoke(monkeypatch, GOOD, OTHER, INFORMS, options=("--json",))
    document = json.loads(done.stdout)
    assert (document["schema_version"], document["passed"]) == (1, True)
    records = {record["name"]: record for record in document["claims"]}
    assert set(records) == {"good", "other", "gtx"}
    other = records["other"]
    assert (other["ours"], other["published"], other["found_before"]) == (2.04e29, 2.05e28, 2.04e29)
    assert (other["verdict"], other["unit"]) == ("differs", "FLOP")
    assert other["note"] == f"{NOTE} A detail."
    assert records["gtx"]["tolerance"] is None


def test_json_tells_a_failure_too(monkeypatch: pytest.MonkeyPatch) -> None:
    done = invoke(monkeypatch, BAD, options=("--json",))
    assert done.exit_code == 1
    assert json.loads(done.stdout)["passed"] is False


def test_markdown_has_every_claim_in_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    done = invoke(monkeypatch, GOOD, OTHER, INFORMS, options=("--markdown",))
    assert (
        "| H100: declines past | 2.05e28 | 2e28 | holds | within 25 %: printed to one digit |" in done.stdout
    )
    assert "\n## For information\n" in done.stdout


def test_two_formats_at_once_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["reproduce", "--json", "--markdown"])
    assert caught.value.code == 2
    assert "--markdown" in capsys.readouterr().err


def test_help_names_the_exit_code_and_shows_examples() -> None:
    done = CliRunner(env={"COLUMNS": "80"}).invoke(app, ["reproduce", "--help"])
    assert "exit code 1" in " ".join(done.stdout.split())
    assert "  scalewall reproduce --json\n" in done.stdout
