"""Bad input: exit code 2, one message that names the option, its value and what is allowed; nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import FEW, run

CASES = [
    (("--machine", "h1000"), "--machine: 'h1000'", "Nearest: h100"),
    (("--machine", "mine"), "--machine: 'mine'", "or a machine file, NAME.toml"),
    (("--machine", "ref-h100", "b20"), "--machine: 'b20'", "Nearest: b200"),
    (("--machine", "nowhere.toml"), "--machine: 'nowhere.toml'", "No such file"),
    (("--precision", "12"), "--precision: 12", "32, 16, 8 bits"),
    (("--model", "spares"), "--model: 'spares'", "Nearest: sparse"),
    (("--batch-law", "zang"), "--batch-law: 'zang'", "Nearest: zhang"),
    (("--depth-law", "refti"), "--depth-law: 'refti'", "Nearest: refit"),
    (("--data-law", "chinchila"), "--data-law: 'chinchila'", "Nearest: chinchilla-20"),
    (("--width-law", "5x"), "--width-law: '5x'", "Nearest: 4x"),
    (("--search", "fulll"), "--search: 'fulll'", "Nearest: full"),
    (("--schedule", "1f1c"), "--schedule: '1f1c'", "Nearest: 1f1b"),
    (("--domain-filling", "exakt"), "--domain-filling", "Nearest: exact"),
    (("--zero-bubble-latency", "fre"), "--zero-bubble-latency", "Nearest: free"),
    (("--latency-model", "tre"), "--latency-model", "Nearest: tree"),
    (("--months", "0"), "--months: 0.0", "from 0.001 to 1200 months"),
    (("--months", "-3"), "--months: -3.0", "from 0.001"),
    (("--months", "nan"), "--months: nan", "from 0.001"),
    (("--months", "inf"), "--months: inf", "to 1200"),
    (("--months", "1e400"), "--months: inf", "to 1200"),
    (("--months", "three"), "--months", "number"),
    (("--threshold", "80"), "--threshold: 80.0", "to 1 of the sustained utilization"),
    (("--threshold", "0"), "--threshold: 0.0", "from 0.001"),
    (("--threshold", "nan"), "--threshold: nan", "from 0.001"),
    (("--model", "sparse", "--sparsity", "0"), "--sparsity: 0", "from 1 to"),
    (("--model", "sparse", "--sparsity", "-8"), "--sparsity: -8", "from 1 to"),
    (("--data-factor", "0"), "--data-factor: 0.0", "from 0.001"),
    (("--depth-law", "constant"), "--layers is missing", "the depth law constant needs"),
    (("--depth-law", "constant", "--layers", "-1"), "--layers: -1", "from 1"),
    (("--width-law", "ratio", "--width-ratio", "0"), "--width-ratio: 0.0", "from 0.01"),
    (("--data-law", "tokens-per-parameter"), "--tokens-per-parameter is missing", "from 0.001"),
    (("--batch-law", "power"), "is missing", "the batch law power needs"),
    (("--batch-law", "fixed", "--batch-tokens", "nan"), "--batch-tokens: nan", "from 2048"),
    (("--batch-law", "fixed", "--batch-tokens", "1e400"), "--batch-tokens: inf", "to 1e+15"),
    (("--batch-exponent", "3"), "--batch-exponent: 3.0", "from 0 to 1"),
    (("--batch-anchor-tokens", "0"), "--batch-anchor-tokens: 0.0", "from 1"),
    (("--batch-anchor-flop", "0"), "--batch-anchor-flop: 0.0", "from 1e+06"),
    (("--output", "x.html"), "--output: 'x.html'", "Nearest: --plot x.html"),
    (("--output", "x.csv"), "--output: 'x.csv'", "Nearest: --csv x.csv"),
    (("--csv", "x.json"), "--csv: 'x.json'", "Nearest: --output x.json"),
    (("--flop", "0"), "--flop: 0.0", "FLOP"),
    (("--flop", "nan"), "--flop: nan", "FLOP"),
    (("--flop", "1e400"), "--flop: inf", "FLOP"),
    (("--grid", "15"), "--grid: '15'", "F,MIN,MAX"),
    (("--grid", ""), "--grid: ''", "F,MIN,MAX"),
    (("--grid", "15,a,b"), "--grid: '15,a,b'", "F,MIN,MAX"),
    (("--grid", "0,12288,20000"), "--grid F,...: 0", "from 1 to 2047"),
    (("--grid", "15,0,20000"), "--grid ...,MIN,...: 0.0", "from 1"),
    (("--grid", "15,nan,20000"), "--grid ...,MIN,...: nan", "from 1"),
    (("--grid", "15,20000,12288"), "--grid ...,MAX: 12288.0", "from 20000"),
    (("--grid", "15,12289,12300"), "--grid ...,MIN,MAX", "Nearest: 12288, 14336"),
    (("--bound", "tp"), "--bound: 'tp'", "NAME=LOW:HIGH"),
    (("--bound", "tp=8:4"), "--bound tp: '8:4'", "LOW <= HIGH"),
    (("--bound", "tp=0"), "--bound tp: '0:0'", "1 <= LOW"),
    (("--bound", f"tp={10**26}"), "--bound tp: '1", "LOW at most 5e+18"),
    (("--bound", "tb=8"), "--bound: 'tb'", "Nearest: tp"),
    (("--tensor-levels", "0"), "--tensor-levels: 0", "at least 1"),
    (("--set", "network.1.bandwidth"), "--set: 'network.1.bandwidth'", "PATH=VALUE"),
    (("--set", "network.1.bandwith=1e9"), "--set network.1.bandwith", "Nearest: network.1.bandwidth"),
    (("--set", "netwrk.1.bandwidth=1e9"), "--set netwrk.1.bandwidth", "Nearest: network.1.bandwidth"),
    (("--set", "network.1.bandwidth=fast"), "--set network.1.bandwidth: 'fast'", "a number in SI units"),
    (("--set", "network.1.bandwidth=-1"), "--set network.1.bandwidth: -1.0", "from 1000"),
    (("--set", "network.1.bandwidth=nan"), "--set network.1.bandwidth: nan", "from 1000"),
    (("--set", "network.1.latency=1e400"), "--set network.1.latency: '1e400'", "to 1 s"),
    (("--csv", "nowhere/curve.csv"), "--csv: 'nowhere/curve.csv'", "an existing folder"),
    (("--csv", "."), "--csv: '.'", "this is a folder"),
    (("--output", "nowhere/limits.json"), "--output: 'nowhere/limits.json'", "an existing folder"),
    (("--output", "/proc/limits.json"), "--output: '/proc/limits.json'", "can be written"),
    (("--plot", "limits.gif"), "--plot: 'limits.gif'", "limits.html"),
    (("--plot", "nowhere/limits.png"), "--plot: 'nowhere/limits.png'", "an existing folder"),
    (("--save", "question.json"), "--save: 'question.json'", "question.toml"),
    (("--csv", "one", "--output", "one"), "--output: 'one'", "another file than --csv writes"),
    (("--scenario", "nowhere.toml"), "--scenario: 'nowhere.toml'", "No such file"),
    (("--scenario", "."), "--scenario: '.'", "can be read"),
    (("--serch", "full"), "--serch", "--search"),
    (("surplus",), "surplus", "unexpected"),
]


@pytest.mark.parametrize(("options", "named", "allowed"), CASES, ids=lambda case: str(case)[:50])
def test_one_message_names_what_is_wrong_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], named: str, allowed: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("limits", *options)
    assert done.code == 2
    assert done.out == ""
    assert named in done.err
    assert allowed in done.err
    assert "Traceback" not in done.err
    assert done.err.lower().count("error:") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_machine_that_lacks_a_figure_says_how_to_give_it() -> None:
    done = run("limits", "--machine", "tpu-v4", *FEW)
    assert done.code == 2
    assert "--machine: 'tpu-v4'" in done.err
    assert "--set network.1.bandwidth=..." in done.err


def test_an_unknown_key_in_a_machine_file_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        'schema = 1\nname = "mine"\nbase = "h100"\ntitle = "Mine"\nkind = "user"\ncolour = "red"\n'
    )
    done = run("limits", "--machine", file, *FEW)
    assert done.code == 2
    assert "mine.toml: colour" in done.err


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("x = [", "a TOML file"),
        ("mnths = 3", "key: 'mnths' is not usable"),
        ('months = "three"', "months: 'three' is not usable. Allowed: a number from 0.001"),
        ("months = -1", "months: -1 is not usable"),
        ("months = nan", "months: nan is not usable"),
        ('rounding = "no"', "rounding: 'no' is not usable. Allowed: true or false"),
        ("precision = 16.5", "precision: 16.5 is not usable"),
        ('machines = "h100"', "machines: 'h100' is not usable. Allowed: a list"),
        ("machines = [3]", "machines: 3 is not usable. Allowed: one of"),
        ('machines = ["h1000"]', "machines: 'h1000' is not usable"),
        ('grid = ["a", 2, 3]', "grid: 'a' is not usable"),
        ("bounds = 3", "bounds: 3 is not usable"),
        ("flop = 1e28", "flop: 1e+28 is not usable. Allowed: a list"),
        ("grid = [15, 12288]", "grid: (15, 12288) is not usable"),
        ("[bounds]\ntp = 3", "bounds: 3 is not usable"),
        ("[bounds]\ntp = [8, 4]", "bounds: '8:4' is not usable"),
        (
            '[overrides]\n"network.1.bandwidth" = "fast"',
            "overrides: 'fast' is not usable",
        ),
        ('[overrides]\n"network.1.bandwith" = 1e9', "overrides: 1000000000.0 is not usable"),
    ],
)
def test_a_scenario_that_cannot_be_used_is_named_with_its_key(tmp_path: Path, text: str, named: str) -> None:
    file = tmp_path / "question.toml"
    file.write_text(text, encoding="utf-8")
    done = run("limits", "--scenario", file)
    assert done.code == 2
    assert "question.toml" in done.err
    assert named in done.err
    assert done.err.count("error:") == 1
    assert done.out == ""


def test_a_full_disk_is_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", "curve.csv")

    monkeypatch.setattr("scalewall.report.files.RowWriter.write", full)
    done = run("limits", "--search", "reference", "--csv", "/dev/null", *FEW)
    assert done.code == 2
    assert done.err.endswith("error: curve.csv: No space left on device\n")
