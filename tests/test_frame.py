"""The frame holds: imports point downwards, kernels stay in their rooms, an edited formula is never answered
from an old kernel, and importing the package is light."""

from __future__ import annotations

import ast
import doctest
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import scalewall
from scalewall import _jit, errors

PACKAGE = Path(errors.__file__).parent
FLOORS = (
    {"errors", "_jit", "_version"},
    {"hardware", "workload"},
    {"cost"},
    {"ideal", "planner"},
    {"validation"},
    {"study"},
    {"report"},
    {"web"},
    {"cli"},
    {"__init__", "__main__"},
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
MODULES = sorted(PACKAGE.rglob("*.py"))
SHOWING = {"_repr_html_", "__str__", "to_json", "to_pandas"}
HEAVY = {"dash", "matplotlib", "numba", "pandas", "plotly", "pyarrow", "pydantic", "rich", "typer"}


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def nodes_to_check(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield every node but the insides of showing methods."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.FunctionDef) and node.name in SHOWING):
            yield node
            yield from nodes_to_check(node)


def imported_rooms(path: Path) -> Iterator[str]:
    """Yield the rooms of scalewall that a module imports, inside functions and for types too.

    Only the methods by which a result shows itself hand it upwards, to ``report``, when they are called.
    """
    package = ("scalewall", *path.relative_to(PACKAGE).parent.parts)
    for node in nodes_to_check(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) + 1 - node.level]) if node.level else ""
            module = ".".join(part for part in (base, node.module or "") if part)
            names = [f"{module}.{alias.name}" for alias in node.names] if module == "scalewall" else [module]
        else:
            continue
        for name in names:
            first, *rest = name.split(".")
            if first == "scalewall":
                yield rest[0] if rest and (rest[0] in FLOOR or (PACKAGE / rest[0]).exists()) else "__init__"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_point_downwards(path: Path) -> None:
    room = room_of(path)
    assert room in FLOOR, (
        f"{room} has no floor: say in tests/test_frame.py and CONTRIBUTING.md where it stands"
    )
    for other in imported_rooms(path):
        assert other == room or FLOOR[other] < FLOOR[room], f"{room} must not import {other}"


def test_kernels_live_only_in_their_rooms() -> None:
    users = {room_of(path) for path in MODULES if "_jit" in set(imported_rooms(path)) and _takes_kernel(path)}
    assert users <= set(_jit.KERNEL_ROOMS)


def _takes_kernel(path: Path) -> bool:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    by_name = any(
        (node.module or "").endswith("_jit") and "kernel" in {alias.name for alias in node.names}
        for node in imports
    )
    by_module = any(isinstance(node, ast.Attribute) and node.attr == "kernel" for node in ast.walk(tree))
    return by_name or by_module


def test_numba_is_used_only_through_the_kernel_cache() -> None:
    for path in MODULES:
        if path.name != "_jit.py":
            text = path.read_text(encoding="utf-8")
            assert "njit" not in text, path
            assert "import numba" not in text, path


def run_python(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_the_package_is_light() -> None:
    code = "import scalewall, sys; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    assert HEAVY.isdisjoint(run_python(code).split())


ASK = """
from scalewall import _jit
from scalewall.ideal.caller import answer
print(answer(3.0), _jit.cache_folder().name, sum(answer.stats.cache_hits.values()))
"""


def test_an_edited_formula_is_not_answered_from_an_old_kernel(tmp_path: Path) -> None:
    package = tmp_path / "source" / "scalewall"
    for room in ("cost", "ideal"):
        (package / room).mkdir(parents=True)
        (package / room / "__init__.py").touch()
    (package / "__init__.py").touch()
    shutil.copy(PACKAGE / "_jit.py", package)
    formula = package / "cost" / "formula.py"
    future = "from __future__ import annotations\n"
    head = f"{future}from scalewall._jit import kernel\n\n@kernel\ndef rate(x) -> float:\n"
    formula.write_text(f"{head}    return 2.0 * x\n")
    (package / "ideal" / "caller.py").write_text(
        f"{future}from scalewall._jit import kernel\nfrom scalewall.cost.formula import rate\n\n"
        "@kernel\ndef answer(x) -> float:\n    return rate(x) + 1.0\n"
    )
    places = {"PYTHONPATH": str(package.parent), "SCALEWALL_CACHE_DIR": str(tmp_path / "cache")}

    first, folder, hits = run_python(ASK, **places).split()
    assert (float(first), int(hits)) == (7.0, 0)
    again, same_folder, hits = run_python(ASK, **places).split()
    assert (float(again), same_folder, int(hits)) == (7.0, folder, 1)

    formula.write_text(f"{head}    return 5.0 * x\n")
    edited, new_folder, hits = run_python(ASK, **places).split()
    assert (float(edited), int(hits)) == (16.0, 0)
    assert new_folder != folder


def test_without_any_folder_for_kernels_the_command_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    nowhere = str(tmp_path / "file" / "cache")
    done = subprocess.run(
        [sys.executable, "-m", "scalewall", "limits"],
        env=os.environ | {"SCALEWALL_CACHE_DIR": nowhere, "HOME": nowhere, "XDG_CACHE_HOME": nowhere},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: no folder for compiled kernels can be written: tried {nowhere}")
    assert "SCALEWALL_CACHE_DIR" in done.stderr


def test_the_package_shows_what_it_does() -> None:
    assert doctest.testmod(scalewall) == (0, 4)
