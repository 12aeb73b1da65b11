"""Plan, When, Machines and Laws in Chromium."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.web.opening import Windows, answered, landed, until, visit

SMALL = "model=gpt2-124m&machine=h100&gpus=8&global_batch=64&seq=1024&tokens=1e10"
SOON = "machine=h100&generations=0&search=reference"


def test_layouts_are_ranked_explained_and_exported(url: str, browser: Windows) -> None:
    with visit(browser, url, f"/plan?v=1&{SMALL}") as seen:
        page = seen.page
        landed(page)
        expect(page.locator("#results")).to_contain_text("The best layout is")
        rows = page.locator("#results table").last.locator("tbody tr")
        assert rows.count() == 10
        step = page.get_by_role("button", name="Memory")
        step.click()
        first = rows.first.inner_text()
        step.click()
        assert rows.first.inner_text() != first
        page.get_by_text("Megatron-LM", exact=True).click()
        expect(page.locator("#more")).to_contain_text("--tensor-model-parallel-size")
        page.get_by_role("link", name="2", exact=True).click()
        expect(page.locator("#results")).to_contain_text("Layout 2 of 10")
        assert "rank=2" in page.url


def test_a_changed_question_is_answered_and_stands_in_the_link(url: str, browser: Windows) -> None:
    with visit(browser, url, f"/plan?v=1&{SMALL}") as seen:
        page = seen.page
        landed(page)
        page.get_by_role("textbox", name="Accelerators").fill("16")
        expect(page.locator("#results")).to_contain_text("on 16 x NVIDIA H100")
        landed(page)
        assert "gpus=16" in page.url
        assert page.get_by_label("Link to what you see").input_value() == page.url


def test_where_nothing_fits_the_smallest_change_is_a_click_away(url: str, browser: Windows) -> None:
    question = "model=llama3-70b&machine=h100&gpus=4&global_batch=64&seq=8192"
    with visit(browser, url, f"/plan?v=1&{question}") as seen:
        page = seen.page
        landed(page)
        expect(page.locator("#results")).to_contain_text("No layout fits")
        page.get_by_role("link", name=re.compile("accelerators instead of 4")).click()
        expect(page.locator("#results")).to_contain_text("The best layout is")


def test_the_pipeline_is_drawn_for_the_colours_of_the_page(url: str, browser: Windows) -> None:
    for scheme, shown, other in (("light", "png", "dark.png"), ("dark", "dark.png", "png")):
        with visit(browser, url, f"/plan?v=1&{SMALL}&pp=2", scheme=scheme) as seen:
            page = seen.page
            landed(page)
            expect(page.locator(f"#more img[src*='timeline.{shown}?']")).to_be_visible()
            expect(page.locator(f"#more img[src*='timeline.{other}?']")).to_be_hidden()


def test_files_that_there_are_not_are_not_offered(url: str, browser: Windows) -> None:
    with visit(browser, url, "/plan?v=1&model=llama3-70b&gpus=4&global_batch=64") as seen:
        landed(seen.page)
        expect(seen.page.locator("#takeaway a[download]")).to_have_text(["Everything (JSON)"])


def test_what_cannot_be_asked_is_said(url: str, browser: Windows) -> None:
    with visit(browser, url, f"/plan?v=1&{SMALL}&tp=64&nonsense=1&top=nan") as seen:
        landed(seen.page)
        expect(seen.page.get_by_text("'nonsense' is no setting")).to_be_visible()
        expect(seen.page.locator("#results")).to_contain_text("Tensor: '64' is not usable")


def test_an_own_model_is_taken(url: str, browser: Windows, tmp_path: Path) -> None:
    shape = {"model_type": "llama", "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 8}
    shape |= {"num_attention_heads": 8, "vocab_size": 32000, "max_position_embeddings": 4096}
    good, bad = tmp_path / "config.json", tmp_path / "bad.json"
    good.write_text(json.dumps(shape))
    bad.write_text("{")
    with visit(browser, url, f"/plan?v=1&{SMALL}") as seen:
        page = seen.page
        landed(page)
        page.locator("#upload-config input[type=file]").set_input_files(bad)
        expect(page.locator("#upload-config-problem")).to_contain_text("no JSON")
        page.locator("#upload-config input[type=file]").set_input_files(good)
        expect(page.get_by_text("Your own config.json")).to_be_visible()
        expect(page.locator("#results")).to_contain_text("The best layout is")


def test_dates_of_the_limits(url: str, browser: Windows) -> None:
    with visit(browser, url, f"/when?v=1&{SOON}") as seen:
        page = seen.page
        landed(page)
        words = page.locator("#results .sw-answer").inner_text()
        assert "frontier runs of 3 months stop being efficient" in words
        page.get_by_role("textbox", name="Compute of the largest runs grows").click()
        page.get_by_role("option", name="10 times a year").click()
        expect(page.locator("#results .sw-answer")).not_to_have_text(words)
        landed(page)
        assert "growth=10" in page.url


def test_machines_and_laws_lead_to_limits(url: str, browser: Windows) -> None:
    with visit(browser, url, "/machines") as seen:
        page = seen.page
        page.get_by_role("link", name="h100", exact=True).click()
        expect(page.locator("h1")).to_have_text("NVIDIA H100 SXM5 80 GB")
        expect(page.locator("#page")).to_contain_text("datasheet")
        page.get_by_role("link", name="How far training scales on it").click()
        expect(page.locator("#answer")).to_contain_text("On H100 SXM5 80 GB, runs stay efficient")
        answered(page)
        page.get_by_role("slider", name="Longest run (months)").press("ArrowRight")
        until(page, "location.search.includes('months=3.5')")
        answered(page)
        page.get_by_role("link", name="Laws").click()
        expect(page.locator("#page")).to_contain_text("chinchilla-20")
        page.get_by_role("link", name="Limits").click()
        expect(page.get_by_role("textbox", name="Longest run (months)")).to_have_value("3.5")


@pytest.mark.parametrize("path", ["/nowhere", "/machines/..%2F..%2Fetc"])
def test_what_is_not_there_is_said(path: str, url: str, browser: Windows) -> None:
    with visit(browser, url, path) as seen:
        expect(seen.page.get_by_role("alert")).to_be_visible()
