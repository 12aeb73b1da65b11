"""The worked example of docs/add-a-law.md, done to a copy of the package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scalewall import errors

PAGE = (Path(__file__).parents[2] / "docs" / "add-a-law.md").read_text(encoding="utf-8")
FUNCTION, ENTRY, USE = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a copy of the package that has the page's law."""
    folder = tmp_path_factory.mktemp("copy")
    package = Path(errors.__file__).parent
    shutil.copytree(package, folder / "scalewall", ignore=shutil.ignore_patterns("__pycache__"))
    module = folder / "scalewall" / "workload" / "laws" / "batch.py"
    text = module.read_text(encoding="utf-8")
    head, registry = text.split("BATCH: Mapping[str, Law] = registry(\n")
    module.write_text(
        f"{head}{FUNCTION}\n\nBATCH: Mapping[str, Law] = registry(\n{ENTRY.rstrip()},\n{registry}",
        encoding="utf-8",
    )
    return folder


def run(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_law_gives_what_the_page_says(changed: Path) -> None:
    """Four times the tokens, twice the batch: 2^21."""
    first, batch = run(changed, "-c", USE).split()
    assert float(first) == 2.0**21
    assert f"# {first}" in USE
    assert float(batch) > 2.0**21


def test_the_law_is_listed_with_its_source(changed: Path) -> None:
    listed = run(changed, "-m", "scalewall", "laws", "list", "--json")
    assert '"acme"' in listed
    assert "Acme 2031, notes on batch size, table 2" in listed


def test_a_misspelt_name_is_told_the_new_one(changed: Path) -> None:
    code = (
        "from scalewall.errors import InputError\nfrom scalewall.workload import Laws\n"
        "try:\n    Laws(batch='acmee')\nexcept InputError as error:\n    print(error.suggestions)"
    )
    assert "acme" in run(changed, "-c", code)
