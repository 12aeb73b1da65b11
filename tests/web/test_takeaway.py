"""What is taken away gives the same numbers: the command, the script, the study of the page."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from scalewall.errors import InputError
from scalewall.hardware import read_machine
from scalewall.ideal.limits import Limits, limits_of
from scalewall.ideal.study import LimitsStudy
from scalewall.planner.plan import PlanResult, PlanResults
from scalewall.planner.planning import plan
from scalewall.study.forecast import Forecast
from scalewall.study.forecast_question import forecast_question
from scalewall.web import cards
from scalewall.web.flat import encode_flat
from scalewall.web.own_files import own_files
from scalewall.web.plan_question import PLAN_SETTINGS, arguments_of, plan_command, plan_python
from scalewall.web.question import asked, uploaded_name
from scalewall.web.state import DEFAULT, Card, State
from scalewall.web.takeaway import command_text, python_text
from scalewall.web.when_question import WHEN_SETTINGS, forecast_study, when_command
from scalewall.web.when_task import when_task
from tests.cli.running import run

FEW = (1, 12288, 70000)
OWN = 'schema = 1\nname = "mine"\ntitle = "Mine"\nkind = "user"\nbase = "h100"\n'
CARDS = {
    "plain": {"machine": "b200", "months": 6.5, "threshold": 0.7},
    "published": {"machine": "ref-h100", "reference": True, "rounding": False},
    "sparse": {"model": "sparse", "batch_law": "power", "batch_exponent": 0.25, "overlap_data": True},
    "figures": {"overrides": {"network.1.bandwidth": 75e9}, "network_bandwidth": 2.0, "latency": 0.1},
    "bounds": {"bounds": {"tp": (1, 8)}, "schedule": "1f1b", "latency_model": "tree", "classic_order": True},
    "centres": {"centre_size": 32768, "centre_count": 4, "search": "reference"},
    "file": {"file": OWN, "memory_bandwidth": 1.5, "search": "reference"},
    "file in centres": {"file": OWN, "centre_size": 4096, "search": "reference"},
    "failures": {"failures": 1e-6, "sync_steps": 4, "recovery": "replica"},
}


def card(name: str) -> Card:
    return Card().having(name=name, grid=FEW, **CARDS[name])


def of_page(one: Card) -> Limits:
    with asked(one) as study:
        return limits_of(study, study.machines[0])


def shell(text: str) -> dict[str, object]:
    """Run what a visitor pastes into a shell: files that are written, then one command."""
    lines = text.splitlines()
    while lines and not lines[0].startswith("scalewall "):
        line = lines.pop(0)
        if line.startswith("cat > "):
            name = shlex.split(line)[2]
            end = lines.index("END-OF-FILE")
            Path(name).write_text("\n".join(lines[:end]) + "\n")
            lines = lines[end + 1 :]
    done = run(*shlex.split(lines[0])[1:])
    assert done.code == 0, done.err
    return json.loads(done.out)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> object:
    before = Path.cwd()
    os.chdir(tmp_path)
    yield
    os.chdir(before)


@pytest.mark.parametrize("name", CARDS)
def test_the_command_and_the_script_reproduce_the_page(name: str) -> None:
    ours = of_page(card(name))
    theirs = shell(command_text([card(name)]))
    points = [(point.training_flop, point.n_gpu, point.utilization) for point in ours.points]
    assert [(p["training_flop"], p["n_gpu"], p["utilization"]) for p in theirs["points"]] == points

    made: dict[str, dict[str, Limits]] = {}
    exec(compile(python_text([card(name)]), "script", "exec"), made)
    again = made["limits"][name]
    assert [(point.training_flop, point.n_gpu, point.utilization) for point in again.points] == points


CONFIG = {"model_type": "llama", "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 8}
CONFIG |= {"num_attention_heads": 8, "vocab_size": 32000, "max_position_embeddings": 4096}
PLANS = {
    "bounds": {"model": "gpt2-124m", "tokens": 1e10, "tp": "1,2", "pp": "1"},
    "an own model, several machines": {
        "config": json.dumps(CONFIG),
        "machine": ("h100", "a100-80gb"),
        "objective": "memory",
        "precision": "bf16",
        "top": 3,
        "ideal": True,
    },
}


@pytest.mark.parametrize("name", PLANS)
def test_plans_of_the_page_its_command_and_its_script_agree(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    values = {key: setting.default for key, setting in PLAN_SETTINGS.items()}
    values |= {"gpus": 8, "global_batch": 64, "seq": 1024} | PLANS[name]
    with arguments_of(values) as arguments:
        page = [[plan.seconds for plan in result.plans] for result in plan(**arguments)]
    theirs = shell(plan_command(values))
    theirs = theirs if isinstance(theirs, list) else [theirs]
    assert [[plan["step_seconds"] for plan in result["plans"]] for result in theirs] == page
    capsys.readouterr()
    made: dict[str, PlanResult | PlanResults] = {}
    exec(compile(plan_python(values), "script", "exec"), made)
    found = made["found"]
    results = [found] if isinstance(found, PlanResult) else list(found)
    assert [[plan.seconds for plan in result.plans] for result in results] == page
    assert capsys.readouterr().out == f"{found.to_pandas()}\n"


HOSTILE = "END-OF-FILE\ntouch pwned\ncat > /dev/null <<'END-OF-FILE'\n"


def pasted(text: str, folder: Path) -> None:
    """Run a text in a shell in which scalewall does nothing."""
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    (programs / "scalewall").write_text("#!/bin/sh\n")
    (programs / "scalewall").chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(["sh", "-c", text], check=True, cwd=folder, env=os.environ | {"PATH": path})
    assert not (folder / "pwned").exists()


def test_a_file_never_ends_its_own_writing(tmp_path: Path) -> None:
    machine = f'{OWN}note = """x\n{HOSTILE}END-OF-FILE-2\n"""\n'
    pasted(command_text([Card().having(file=machine)]), tmp_path)
    assert (tmp_path / "mine.toml").read_text() == machine
    config = json.dumps(CONFIG) + f"\n\n{HOSTILE}"
    values = {key: setting.default for key, setting in PLAN_SETTINGS.items()} | {"config": config}
    pasted(plan_command(values), tmp_path)
    assert (tmp_path / "config.json").read_text() == config


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('title = """x\nEND-OF-FILE\ntouch pwned\n"""', "title: 'x.*one line of at most 100"),
        (f'title = "{"x" * 101}"', "title: .*one line of at most 100"),
        ('title = "\\u001b[31m"', "title: .*printable"),
        (f'name = "{"a" * 300}"', "name: .*1 to 60 lower-case letters"),
        ('name = "data-centres"', "name: .*other than data-centres"),
        ("name = 5", "name: '5'"),
    ],
)
def test_a_machine_file_has_a_short_name_and_a_title_on_one_line(line: str, problem: str) -> None:
    key = line.partition(" ")[0]
    kept = [own for own in OWN.splitlines() if not own.startswith(f"{key} ")]
    with pytest.raises(InputError, match=f"machine file: {problem}"):
        uploaded_name("\n".join([*kept, line]))


def test_a_title_with_quotes_goes_into_data_centres() -> None:
    quoted = OWN.replace('"Mine"', "'Größe \"a\\b\"'")
    with asked(Card().having(file=quoted, centre_size=4096)) as study:
        assert read_machine(study.machines[0]).title == 'Größe "a\\b" in data centres of 4,096'


def test_what_is_wrong_in_a_file_never_names_a_folder_of_the_server() -> None:
    broken = Card().having(file=f"{OWN}[network.1]\nspeed = 3\n", centre_size=4096)
    for one in (broken, broken.having(centre_size=None)):
        with pytest.raises(InputError, match=r"^mine\.toml: network\.1"), asked(one):
            pass
        with pytest.raises(InputError, match=r"^mine\.toml: network\.1"):
            command_text([one])
    with pytest.raises(InputError) as refused, own_files({}) as folder:
        raise InputError("model", str(folder / "x.json"), f"not {folder}/x.json", [f"{folder}/y.json"])
    assert str(refused.value) == "model: 'x.json' is not usable. Allowed: not x.json. Nearest: y.json."


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        (
            {"num_hidden_layers": 501},
            "config.json: layers: 501 is not usable. Allowed: at most 500 layers",
        ),
        ({"num_attention_heads": 2048, "hidden_size": 16384}, "config.json: heads: 2048"),
        (
            {"model_type": "mixtral", "num_local_experts": 5000, "num_experts_per_tok": 2}
            | {"num_key_value_heads": 8},
            "config.json: experts: 5000",
        ),
        ({"num_hidden_layers": -1}, "config.json: num_hidden_layers: -1"),
    ],
)
def test_an_own_model_is_not_too_large_to_search_while_a_visitor_waits(
    changed: dict[str, object], problem: str
) -> None:
    values = {key: setting.default for key, setting in PLAN_SETTINGS.items()}
    values |= {"config": json.dumps(CONFIG | changed)}
    with pytest.raises(InputError, match=problem), arguments_of(values):
        pass


DATES = {
    "growth": {"growth": "5", "generations": 0},
    "successors": {
        "growth": "3:6",
        "generations": 1,
        "slow_network": 1.5,
        "generation_years": 3.0,
        "lag": 1.0,
    },
    "machines, laws, start": {
        "machine": ("h100", "ref-h100"),
        "start": "5e26@2025-07",
        "start_spread": 1.2,
        "months": 6.0,
        "batch_law": "zhang",
        "reference": True,
        "generations": 0,
    },
}


@pytest.mark.parametrize("name", DATES)
def test_dates_of_the_page_its_command_and_its_script_agree(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    values = {key: setting.default for key, setting in WHEN_SETTINGS.items()}
    values |= {"search": "reference"} | DATES[name]
    page = when_task(encode_flat(values, WHEN_SETTINGS), lambda name, done, total: None)
    shown = [
        (str(one["machine"]), one[limit]["year"])
        for one in shell(page.texts["command"])["machines"]
        for limit in ("efficient_scaling_ends", "infeasible")
    ]
    capsys.readouterr()
    made: dict[str, Forecast] = {}
    exec(compile(page.texts["Python"], "script", "exec"), made)
    printed = capsys.readouterr().out.splitlines()
    found = made["found"]
    assert shown == [
        (one.machine, {f"{share:g}": year for share, year in band.dates.items()})
        for one in found.machines
        for band in (one.efficient, one.infeasible)
    ]
    rows = page.tables["dates"].rows
    assert len(printed) == len(rows) == len(shown)
    for line, (_, limit, low, median, high, _) in zip(printed, rows, strict=True):
        assert line.endswith(f"{limit} {median} (90 %: {low} to {high})"), line


def test_the_page_left_alone_asks_what_the_command_asks_by_itself() -> None:
    values = {name: setting.default for name, setting in WHEN_SETTINGS.items()}
    assert forecast_study(values) == forecast_question(LimitsStudy())
    assert when_command(values) == "scalewall forecast --machine h100 --json\n"


def test_cards_are_added_copied_moved_removed_and_brought_back() -> None:
    state = cards.added(cards.added(DEFAULT))
    assert [one["machine"] for one in state.cards] == ["h100", "b200", "gb200-nvl72"]
    assert len({one.colour for one in state.cards}) == 3
    copied = cards.duplicated(state, 0)
    assert [one.name for one in copied.cards] == [
        "H100 SXM5 80 GB",
        "H100 SXM5 80 GB 2",
        "B200 SXM 180 GB",
        "GB200 NVL72",
    ]
    gone, undo = cards.removed(copied, 1)
    assert cards.restored(gone, undo).cards == copied.cards
    assert cards.moved_up(state, 1).cards[0]["machine"] == "b200"
    mixed = cards.coloured(state, 0, 5)
    assert [card.colour for card in cards.ordered(mixed).cards] == sorted(card.colour for card in mixed.cards)
    assert cards.ordered(mixed).cards[cards.ordered(mixed).chosen] == mixed.cards[mixed.chosen]
    assert cards.removed(DEFAULT, 0) == (DEFAULT, "")
    full = state
    for _ in range(20):
        full = cards.duplicated(cards.added(full), 0)
    assert len(full.cards) == 7
    assert cards.restored(full, undo) == full


def test_choices_bring_what_they_need_and_drop_what_they_do_not() -> None:
    one = Card().having(
        batch_law="power", depth_law="constant", sparsity=8, width_ratio=3.0, machine="gtx-580"
    )
    settled = cards.settled(State((one,))).cards[0]
    assert settled["batch_exponent"] == pytest.approx(1 / 6)
    assert settled["layers"] == 120
    assert settled["sparsity"] is None
    assert settled["width_ratio"] is None
    assert settled["precision"] == 32
