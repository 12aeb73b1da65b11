"""The Limits page in Chromium: a newcomer sees an answer, compares, drags, undoes, shares and takes away."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from scalewall.web.presets import PRESETS
from scalewall.web.state import State, decode
from tests.web.opening import Windows, answered, landed, until, visit

CURVES = (
    "document.querySelector('#figure-utilization .js-plotly-plot').data"
    ".map((trace) => [trace.name, trace.y.length, trace.y])"
)


def curves(page: Page) -> list[tuple[str, int, list[float]]]:
    return [tuple(one) for one in page.evaluate(CURVES)]


def settings_of(page: Page) -> State:
    return decode(page.url.partition("?")[2]).state


def choose(page: Page, label: str, option: str) -> None:
    """Choose in a list by what it shows."""
    page.get_by_label(label, exact=True).first.click()
    page.get_by_role("option", name=option, exact=True).click()


def test_the_first_answer_is_there_at_once(url: str, browser: Windows) -> None:
    with visit(browser, url) as seen:
        answered(seen.page)
        expect(seen.page.locator("#answer")).to_contain_text(
            "On H100 SXM5 80 GB, runs stay efficient up to 5.80e28 FLOP"
        )
        assert [name for name, _, _ in curves(seen.page)] == ["H100 SXM5 80 GB", "real training runs"]
        expect(seen.page.locator("#answer")).to_contain_text("The largest publicly known run")
        expect(seen.page.locator("#summary .sw-table").first).to_contain_text("6.83e31")


def test_every_preset_is_drawn(url: str, browser: Windows) -> None:
    with visit(browser, url) as seen:
        page = seen.page
        for preset in PRESETS:
            answered(page)
            choose(page, "Start from", preset.title)
            expect(page.locator("#preset-about")).to_have_text(preset.what)
            expect(page.locator("#answer li")).to_have_count(len(preset.cards))
            answered(page)
            names = [name for name, length, _ in curves(page) if length > 3]
            assert names[: len(preset.cards)] == [card.name for card in preset.cards]
            assert settings_of(page) == State(preset.cards)


def test_a_dragged_slider_changes_the_curve_before_it_is_let_go(url: str, browser: Windows) -> None:
    with visit(browser, url) as seen:
        page = seen.page
        answered(page)
        before = curves(page)[0]
        thumb = page.get_by_role("slider", name="Longest run (months)")
        box = thumb.bounding_box()
        assert box
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + 80, box["y"] + box["height"] / 2, steps=4)
        until(page, "document.body.dataset.answer === 'preview'")
        until(page, f"{CURVES}[0][1] !== {before[1]}")
        page.mouse.up()
        answered(page)
        assert "months=" in page.url
        assert curves(page)[0][1] > before[1]


def test_compare_duplicate_rename_hide_remove_and_undo(url: str, browser: Windows) -> None:
    with visit(browser, url) as seen:
        page = seen.page
        answered(page)
        page.get_by_role("button", name="Add one to compare").click()
        until(page, "document.querySelectorAll('#answer li').length === 2")
        page.get_by_role("button", name="Duplicate").click()
        until(page, "document.querySelectorAll('#answer li').length === 3")
        name = page.get_by_label("Name", exact=True)
        name.fill("Six <b>months</b>")
        expect(page.locator("#cards")).to_contain_text("B200 SXM 180 GB 2")
        name.fill("My third")
        expect(page.locator("#cards")).to_contain_text("My third")
        page.get_by_role("button", name="Hide").click()
        until(page, "document.querySelectorAll('#answer li').length === 2")
        page.get_by_role("button", name="Remove").click()
        expect(page.locator("#cards li")).to_have_count(2)
        page.get_by_role("button", name="Undo: bring back My third").click()
        expect(page.locator("#cards li")).to_have_count(3)
        answered(page)
        state = settings_of(page)
        assert [card.name for card in state.cards] == ["H100 SXM5 80 GB", "B200 SXM 180 GB", "My third"]
        assert state.cards[2].hidden


def test_configurations_are_put_in_the_order_of_their_colours(url: str, browser: Windows) -> None:
    link = "/?v=1&1.machine=ref-a100&1.colour=3&1.reference=yes&2.machine=ref-h100&2.reference=yes"
    with visit(browser, url, link) as seen:
        page = seen.page
        answered(page)
        page.get_by_role("button", name="Order by colour").click()
        expect(page.locator("#cards li").first).to_contain_text("ref-h100")
        expect(page.get_by_role("button", name="Order by colour")).to_have_count(0)
        answered(page)
        assert [name for name, _, _ in curves(page)][:2] == ["ref-h100", "ref-a100"]
        assert settings_of(page).cards[settings_of(page).chosen]["machine"] == "ref-a100"


def test_a_configuration_is_called_what_it_computes(url: str, browser: Windows) -> None:
    with visit(browser, url) as seen:
        page = seen.page
        answered(page)
        machine = page.get_by_label("Machine", exact=True).first
        machine.click()
        page.keyboard.type("gb200-nvl72")
        page.get_by_role("option", name="NVIDIA GB200 NVL72, one accelerator").click()
        expect(page.locator("#answer")).to_contain_text("On GB200 NVL72, runs stay efficient")
        expect(page.get_by_label("Name", exact=True)).to_have_value("GB200 NVL72")
        answered(page)
        assert settings_of(page).cards[0].name == "GB200 NVL72"


def test_a_value_that_cannot_be_used_is_told_beside_the_answer(url: str, browser: Windows) -> None:
    with visit(browser, url, "/?v=1&1.machine=ref-h100&1.reference=yes") as seen:
        page = seen.page
        answered(page)
        months, told = (
            page.get_by_role("textbox", name="Longest run (months)"),
            page.locator("#entry-problems"),
        )
        months.fill("5000")
        expect(told).to_contain_text("1.months: '5000' is not usable")
        months.fill("6")
        expect(told).to_be_empty()
        page.get_by_role("button", name="Figures of the machine").click()
        bandwidth = page.locator("input[id*='network.0.bandwidth']")
        bandwidth.fill("fast")
        expect(told).to_contain_text("network.0.bandwidth: 'fast' is not usable")
        bandwidth.fill("400,000,000,000")
        expect(told).to_be_empty()
        until(page, "location.search.includes('network.0.bandwidth:400000000000')")


def test_an_example_can_be_undone(url: str, browser: Windows) -> None:
    with visit(browser, url, "/?v=1&1.name=Mine&1.machine=ref-h100&1.reference=yes") as seen:
        page = seen.page
        answered(page)
        choose(page, "Start from", "V100, A100, H100")
        expect(page.locator("#cards li")).to_have_count(3)
        page.get_by_role("button", name="Undo: bring back what the example replaced").click()
        expect(page.locator("#cards li")).to_have_count(1)
        expect(page.locator("#cards")).to_contain_text("Mine")


def test_nothing_is_lost_when_one_leaves_and_comes_back(url: str, browser: Windows) -> None:
    long = "/?v=1&1.name=Mine&1.grid=63,2048,1572864&1.months=3.337&2.machine=b200&2.grid=63,2048,1572864"
    with visit(browser, url, long) as seen:
        page = seen.page
        page.locator("#figure-utilization .main-svg").first.wait_for()
        page.get_by_role("link", name="Machines", exact=True).click()
        expect(page.locator("h1")).to_contain_text("achines")
        page.get_by_role("link", name="Limits", exact=True).click()
        expect(page.locator("#answer")).to_contain_text("On Mine")
        answered(page)
        expect(page.locator("#takeaway a").first).to_be_visible()
        page.get_by_role("link", name="Plan", exact=True).click()
        landed(page)
        page.go_back()
        page.locator("#answer").wait_for()
        answered(page)
        expect(page.locator("#takeaway a").first).to_be_visible()
        expect(page.locator("#details summary")).not_to_have_count(0)


def test_names_are_only_names(url: str, browser: Windows) -> None:
    first = "1.name=constructor&1.machine=ref-h100&1.reference=yes"
    second = "2.name=__proto__&2.machine=ref-a100&2.reference=yes"
    with visit(browser, url, f"/?v=1&{first}&{second}") as seen:
        answered(seen.page)
        assert [name for name, _, _ in curves(seen.page)][:2] == ["constructor", "__proto__"]


def test_sections_are_filled_when_they_are_opened_and_stay_open(url: str, browser: Windows) -> None:
    with visit(browser, url) as seen:
        page = seen.page
        answered(page)
        section, layers = (
            page.get_by_role("button", name="Scaling laws"),
            page.get_by_label("Layers", exact=True),
        )
        expect(page.get_by_label("Depth")).to_have_count(0)
        section.click()
        choose(page, "Depth", "constant: L = layers")
        expect(layers).to_have_value("120")
        layers.fill("60")
        until(page, "location.search.includes('layers=60')")
        answered(page)
        page.reload()
        expect(layers).to_have_value("60")


def test_the_figures_below_follow_the_first(url: str, browser: Windows) -> None:
    drawn = "document.querySelectorAll('.sw-figure:not([hidden]) .js-plotly-plot .main-svg').length"
    with visit(browser, url) as seen:
        page = seen.page
        answered(page)
        until(page, f"{drawn} >= 5")
        expect(page.locator("#details summary")).to_have_count(3)
        page.locator("#details summary", has_text="Every run of").click()
        expect(page.locator("#details td").first).to_be_visible()
        accelerators = "document.querySelector('#figure-accelerators .js-plotly-plot').data[0].y[0]"
        before = page.evaluate(accelerators)
        choose(page, "Machine", "NVIDIA B200 SXM 180 GB")
        until(page, f"{accelerators} < {before}")


def test_the_link_restores_the_page(url: str, browser: Windows) -> None:
    with visit(browser, url) as seen:
        page = seen.page
        answered(page)
        choose(page, "Start from", "V100, A100, H100")
        until(page, "document.querySelectorAll('#answer li').length === 3")
        page.get_by_text("Sparse (experts)").click()
        until(page, "location.search.includes('sparse')")
        answered(page)
        link, words = page.url, page.locator("#answer").inner_text()
        drawn = curves(page)
    with visit(browser, url, link.removeprefix(url)) as again:
        answered(again.page)
        assert again.page.locator("#answer").inner_text() == words
        assert curves(again.page) == drawn


def test_a_link_that_holds_nonsense_is_told_and_answered(url: str, browser: Windows) -> None:
    hostile = "/?v=1&1.name=%3Cimg%20src=x%20onerror=alert(1)%3E&1.months=nan&frobnicate=1&1.machine=b200"
    with visit(browser, url, hostile) as seen:
        answered(seen.page)
        problems = seen.page.locator("#problems")
        expect(problems).to_contain_text("'frobnicate' is no setting")
        expect(problems).to_contain_text("1.months: 'nan'")
        assert seen.page.locator("img").count() == 0
        assert curves(seen.page)[0][0] == "B200 SXM 180 GB"


def test_what_cannot_be_computed_is_said_beside_what_can(url: str, browser: Windows) -> None:
    with visit(browser, url, "/?v=1&1.machine=h100&1.precision=4&2.machine=b200") as seen:
        answered(seen.page)
        expect(seen.page.get_by_role("alert")).to_contain_text("precision: 4 is not usable")
        assert curves(seen.page)[0][0] == "B200 SXM 180 GB"


def test_nothing_feasible_is_said_with_the_reason(url: str, browser: Windows) -> None:
    with visit(
        browser, url, "/?v=1&1.machine=h100&1.months=0.001&1.grid=3,100000,1e6&1.search=reference"
    ) as seen:
        answered(seen.page)
        expect(seen.page.locator("#answer")).to_contain_text("finishes none of the sizes that were tried")
        expect(seen.page.locator("#answer")).to_contain_text("The smallest:")
        expect(seen.page.locator("#figure-utilization")).to_be_hidden()


def test_everything_hidden_is_said(url: str, browser: Windows) -> None:
    with visit(browser, url, "/?v=1&1.machine=h100&1.hidden=yes") as seen:
        answered(seen.page)
        expect(seen.page.locator("#answer")).to_contain_text("Every configuration is hidden")


def test_downloads_open_and_parse(url: str, browser: Windows, tmp_path: Path) -> None:
    with visit(
        browser, url, "/?v=1&1.machine=ref-h100&1.reference=yes&2.machine=b200&2.search=reference"
    ) as seen:
        page = seen.page
        answered(page)

        def fetched(name: str) -> bytes:
            with page.expect_download() as download:
                page.get_by_role("link", name=name, exact=True).click()
            path = tmp_path / "file"
            download.value.save_as(path)
            return path.read_bytes()

        rows = list(csv.DictReader(io.StringIO(fetched("All runs (CSV)").decode())))
        assert {row["machine"] for row in rows} == {"ref-h100", "B200 SXM 180 GB"}
        documents = json.loads(fetched("Everything (JSON)"))
        assert documents[0]["linear_scaling"]["first_failure_flop"] == pytest.approx(2.048e28, rel=1e-3)
        report = fetched("Report (HTML)").decode()
        assert re.search(r"<title>.*ref-h100 and B200 SXM 180 GB", report)
        assert fetched("utilization.png").startswith(b"\x89PNG")
        assert b"<svg" in fetched("shares.svg")


def test_a_machine_file_is_taken(url: str, browser: Windows, tmp_path: Path) -> None:
    good, bad = tmp_path / "mine.toml", tmp_path / "bad.toml"
    good.write_text(
        'schema = 1\nname = "mine"\ntitle = "Mine"\nkind = "user"\nbase = "h100"\n[network.1]\n'
        'bandwidth = { value = 200e9, evidence = "assumed", note = "a test" }\n'
    )
    bad.write_text('schema = 1\nname = "bad"\nbase = "../../secret"\n')
    with visit(browser, url) as seen:
        page = seen.page
        answered(page)
        page.get_by_role("button", name="Figures of the machine").click()
        page.locator("#upload-machine input[type=file]").set_input_files(bad)
        expect(page.locator("#upload-machine-problem")).to_contain_text("machine file: base")
        large = tmp_path / "large.toml"
        large.write_text("#" * 30_000)
        page.locator("#upload-machine input[type=file]").set_input_files(large)
        expect(page.locator("#upload-machine-problem")).to_contain_text("at most 20,000 bytes")
        huge = tmp_path / "huge.toml"
        huge.write_text("#" * 600_000)
        page.locator("#upload-machine input[type=file]").set_input_files(huge)
        expect(page.locator("#upload-machine-problem")).to_contain_text("too large (600,000 bytes)")
        page.locator("#upload-machine input[type=file]").set_input_files(good)
        expect(page.locator("#form")).to_contain_text("Your own machine: mine")
        until(page, "location.search.includes('file=')")
        answered(page)
        assert settings_of(page).cards[0]["file"] == good.read_text()
