"""The page on models agrees with the registry, and what it tells people to write works."""

from __future__ import annotations

import re
from pathlib import Path

from scalewall.workload.models import load_model, model_names
from scalewall.workload.models.page import models_page

PAGE = Path(__file__).parents[2] / "docs" / "models.md"


def test_the_page_is_written_from_the_registry():
    text = PAGE.read_text(encoding="utf-8")
    assert text == models_page()
    assert [name for name in model_names() if f"| `{name}` |" not in text] == []


def test_the_description_on_the_page_works(tmp_path):
    (block,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    path = tmp_path / "mine.toml"
    path.write_text(block, encoding="utf-8")
    model = load_model(path)
    assert (model.expert_layers, model.local.layers) == (47, 36)
