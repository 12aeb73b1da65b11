"""Output files: looked at before the work starts, never left half written."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scalewall.errors import InputError
from scalewall.report import records
from scalewall.report.files import RowWriter, check_output, save_figure, write_text
from tests.report.samples import make_limits


def test_a_good_path_is_left_as_it_was(tmp_path: Path) -> None:
    old = tmp_path / "old.csv"
    old.write_text("kept")
    assert check_output("--csv", old) == old
    assert old.read_text() == "kept"
    assert check_output("--csv", tmp_path / "new.csv") == tmp_path / "new.csv"
    assert os.listdir(tmp_path) == ["old.csv"]


def test_a_missing_folder_is_named_with_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    with pytest.raises(InputError) as error:
        check_output("--csv", tmp_path / "result" / "x.csv")
    assert error.value.field == "--csv"
    assert error.value.suggestions == (str(tmp_path / "results"),)


def test_a_folder_below_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="existing folder"):
        check_output("--csv", tmp_path / "file" / "x.csv")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this is a folder"):
        check_output("--csv", tmp_path)


def test_an_unknown_ending_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\.html, \.png") as error:
        check_output("--plot", tmp_path / "x.gif", (".html", ".png"))
    assert error.value.suggestions == (str(tmp_path / "x.html"), str(tmp_path / "x.png"))
    assert check_output("--plot", tmp_path / "x.PNG", (".html", ".png")).name == "x.PNG"


@pytest.mark.parametrize("exists", [True, False])
def test_a_place_that_cannot_be_written_is_named(
    exists: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "x.csv"
    if exists:
        target.touch()

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    with pytest.raises(InputError, match=r"can be written.*Permission denied"):
        check_output("--csv", target)


def test_text_is_written_in_one_step(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    write_text(target, "µ")
    write_text(target, "second µ")
    assert target.read_text(encoding="utf-8") == "second µ"
    assert os.listdir(tmp_path) == ["page.html"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "page.html", tmp_path / "link.html"
    link.symlink_to(target)
    write_text(link, "first")
    write_text(link, "second")
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "second"


def test_a_pipe_is_written_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        read = pool.submit(pipe.read_text, encoding="utf-8")
        write_text(pipe, "through")
        assert read.result(timeout=60) == "through"
    assert pipe.is_fifo()


def test_a_file_in_a_folder_that_takes_no_others_is_written_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "page.html"
    target.touch()
    before = target.stat().st_ino
    monkeypatch.setattr("os.access", lambda *_: False)
    write_text(target, "kept")
    assert target.read_text(encoding="utf-8") == "kept"
    assert target.stat().st_ino == before


KILLED = """
import sys
from pathlib import Path
from scalewall.report.files import write_bytes

def stall(partial, target):
    print("writing", flush=True)
    sys.stdin.read()

Path.replace = stall
write_bytes(Path(sys.argv[1]), b"new")
"""


def test_a_kill_while_a_file_is_written_leaves_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "trace.json"
    target.write_bytes(b"old")
    command = [sys.executable, "-c", KILLED, str(target)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writing:
        assert writing.stdout is not None
        assert writing.stdout.readline() == "writing\n"
        writing.send_signal(signal.SIGKILL)
    assert writing.returncode == -signal.SIGKILL
    assert target.read_bytes() == b"old"
    write_text(target, "new")
    assert target.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["trace.json"]


def test_rows_reach_the_file_whole_one_by_one(tmp_path: Path) -> None:
    limits = make_limits()
    target = tmp_path / "points.csv"
    columns = records.columns(limits.points)
    with RowWriter(target, columns) as writer:
        for number, point in enumerate(limits.points[:4]):
            writer.write(records.point_row("h100", point))
            lines = target.read_text(encoding="utf-8").splitlines(keepends=True)
            assert len(lines) == number + 2
            assert all(line.endswith("\n") for line in lines)
    with target.open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert [row["training_flop"] for row in read] == [str(point.training_flop) for point in limits.points[:4]]
    assert read[0]["reason"] == ""


def test_a_column_that_the_file_lacks_is_an_error(tmp_path: Path) -> None:
    with RowWriter(tmp_path / "x.csv", ["a"]) as writer, pytest.raises(ValueError, match="no column b"):
        writer.write({"a": 1, "b": 2})


def test_a_figure_that_cannot_be_drawn_leaves_the_old_file(tmp_path: Path) -> None:
    class Broken:
        def savefig(self, target: object, **options: object) -> None:
            raise RuntimeError("no ink")

    old = tmp_path / "chart.png"
    old.write_bytes(b"old")
    with pytest.raises(RuntimeError, match="no ink"):
        save_figure(Broken(), old)
    assert old.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [old]
