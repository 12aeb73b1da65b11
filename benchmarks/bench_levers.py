"""What a what-if costs beside one curve, and the inverse question beside one search."""

from __future__ import annotations

import time

from benchmarks.timing import heading, least_seconds, shown, table
from scalewall.ideal.limits import limits_of
from scalewall.ideal.search import Searcher
from scalewall.ideal.study import LimitsStudy
from scalewall.study.require import require
from scalewall.study.what_if import levers

REPEATS = 2


def levers_rows(machine: str, **settings: object) -> list[str]:
    """Return what all the usual what-ifs take, in curves and as a ratio to one curve for each."""
    study = LimitsStudy(machines=(machine,), **settings)  # type: ignore[arg-type]
    curve = least_seconds(lambda: limits_of(study, machine), REPEATS)
    before = time.process_time()
    found = levers(study)
    spent = time.process_time() - before
    asked = len(found.outcomes) + 1
    return [machine, study.search or "", str(asked), shown(spent / curve), shown(spent / (asked * curve))]


def require_rows(machine: str, flop: float) -> list[str]:
    """Return what the inverse question takes, in searches of its run."""
    study = LimitsStudy(machines=(machine,), flop=(flop,))
    searcher = Searcher.of(study.cluster(machine), study.space, study.model_switches)
    (stack,) = study.stacks
    one = least_seconds(lambda: searcher.best(stack, study.duration_seconds), 5)
    spent = least_seconds(lambda: require(study), REPEATS)
    return [machine, f"{flop:.0e}", shown(spent), shown(spent / one)]


def main() -> None:
    """Print both tables."""
    heading("Levers: every usual what-if, beside one curve of the machine as it is")
    rows = [levers_rows("h100"), levers_rows("gb200-nvl72"), levers_rows("ref-h100", reference=True)]
    table(("machine", "search", "what-ifs", "in curves", "of one curve each"), rows)
    heading("Require: all figures, the domain and a trade-off (the target is 10 s)")
    rows = [require_rows("h100", flop) for flop in (1e27, 1e29, 1e30, 1e31)]
    rows.append(require_rows("gb200-nvl72", 1e30))
    table(("machine", "FLOP", "seconds", "in searches"), rows)


if __name__ == "__main__":
    main()
