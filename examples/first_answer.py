"""The first answer: how far training of large models scales on published and on today's hardware.

`make run` calls this. It prints a table and writes an interactive report to out/limits.html.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console

import scalewall as sw
from scalewall.cli.flags import note_compiling
from scalewall.cli.progress import progress_bar
from scalewall.report import units
from scalewall.report.table import Column, TableView

TODAY = ("v100", "a100-80gb", "h100", "h200", "b200", "gb200-nvl72", "mi300x", "gtx-580")
BITS = {"gtx-580": 32}  # the others train in 16 bits
LARGEST_RUN_OF_2024 = 5e25  # FLOP; Epoch AI, "Data movement bottlenecks to large-scale model training" (2024)


def ask(machine: str, **settings: object) -> sw.Limits:
    """Ask for one machine's limits, with a progress bar if that takes a while."""
    with progress_bar() as show:
        answer = sw.limits(machine, progress=lambda done, total, _: show(machine, done, total), **settings)
    assert isinstance(answer, sw.Limits)
    return answer


def row(label: str, limits: sw.Limits) -> tuple[str, ...]:
    """Return one line of the table."""
    band = limits.linear_scaling
    last = next((point for point in limits.points if point.training_flop == band.last_pass_flop), None)
    return (
        label,
        units.scientific(band.last_pass_flop),
        units.count(last.n_gpu) if last else "none",
        units.scientific(band.first_failure_flop),
        units.scientific(limits.largest_feasible_flop),
    )


def sentence(limits: sw.Limits) -> str:
    """Return the answer for one machine in a sentence."""
    band = limits.linear_scaling
    ends = [end for end in (band.first_failure_flop, band.last_pass_flop) if end]
    efficient, largest = min(ends), limits.largest_feasible_flop
    times = float(f"{efficient / LARGEST_RUN_OF_2024:.1e}")
    return (
        f"On H100s, a training run of three months stays efficient up to about {units.scientific(efficient, 1)} "
        f"FLOP, {times:,.0f} times the largest run of 2024; beyond about {units.scientific(largest, 1)} FLOP no "
        "cluster, however large, finishes it."
    )


def main(folder: Path) -> None:
    note_compiling("full_search")
    published = ask("ref-h100", reference=True)
    searched = ask("ref-h100", search="full")
    today = {machine: ask(machine, precision=BITS.get(machine, 16)) for machine in TODAY}

    console = Console(highlight=False)
    console.print(f"{sentence(today['h100'])}\n", style="bold")
    console.print(
        TableView(
            title="How far dense training runs scale in three months (FLOP)",
            columns=(
                Column("Machine"),
                *(
                    Column(title, right=True, whole=True)
                    for title in (
                        "Last run\nabove 80 %",
                        "Accelerators\nit takes",
                        "First run\nbelow 80 %",
                        "Largest\nrun",
                    )
                ),
            ),
            rows=(
                row("ref-h100, published search", published),
                row("ref-h100, full search", searched),
                *(
                    row(f"{name}, {BITS[name]} bits" if name in BITS else name, limits)
                    for name, limits in today.items()
                ),
            ),
            notes=(
                "80 %: of the utilization that the machine sustains in large matmuls. Between the two columns runs "
                "pass or fail by what divides their model.",
                "ref-h100 is the machine of arXiv 2411.01137; the published limit is the first run below 80 % of the "
                "first line. The full search, not bound to clusters of 2^i accelerators, moves it by ten; one digit "
                "of a scaling law does as much. The model is ideal (no attention, no failures): real runs do worse.",
            ),
        )
    )
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "limits.html"
    sw.save_plot([published, *today.values()], page, "make run")
    console.print(f"\nWrote {page}: open it in a browser. Try next:\n", style="bold")
    for command, what in (
        ("limits --machine h100", "each size: its plan, what binds"),
        ("limits --depth-law refit", "another law, another limit"),
        ("reproduce", "published claims, our numbers"),
        ("--help", "every other question"),
    ):
        console.print(f"  .venv/bin/scalewall {command:<26}{what}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
