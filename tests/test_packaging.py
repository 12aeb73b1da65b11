"""The wheel that users get, installed in a fresh environment, brings its data files and its licence."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"


def run(*command: str | Path) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def data_files() -> set[str]:
    """Return what of the package is not Python, as paths below ``src``."""
    package = SOURCE / "scalewall"
    found = (path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(SOURCE).as_posix() for path in found if path.suffix != ".py"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT)
    (built,) = folder.glob("scalewall-*.whl")
    return built


def test_the_wheel_holds_package_data_licence_and_notice_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert data_files() <= names
    endings = {name.split("/")[-1] for name in names if ".dist-info/" in name}
    assert {"LICENSE", "NOTICE"} <= endings
    assert all(name.startswith("scalewall") for name in names)


def test_the_installed_wheel_finds_its_data(wheel: Path, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    run(sys.executable, "-m", "venv", "--without-pip", fresh)
    python = fresh / "bin" / "python"
    run(
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        wheel,
    )
    (site,) = fresh.glob("lib/python*/site-packages")
    # The dependencies are this environment's own; a folder named in a .pth file does not run its own .pth
    # files, so the editable install of the source stays out of sight.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"))

    code = f"""
import pathlib, scalewall.errors
package = pathlib.Path(scalewall.errors.__file__).parent
assert package.is_relative_to({str(fresh)!r}), package
missing = [name for name in {sorted(data_files())!r} if not (package.parent / name).is_file()]
assert not missing, missing
from scalewall.hardware import load_machine
from scalewall.report.style import style
print(load_machine("h100").title, style().light.background)
"""
    assert "H100" in run(python, "-c", code)
