"""Speed of the planner's search: an evaluation, whole searches, the command from a cold shell, against their bounds."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from dataclasses import replace

from timing import command, heading, shown, table

import scalewall.planner.search as search_module
from scalewall.planner.bounds import parse_bound
from scalewall.planner.layout import Layout
from scalewall.planner.memory import fit_of
from scalewall.planner.plan import PlanQuestion
from scalewall.planner.planning import question_of
from scalewall.planner.search import Candidates, search
from scalewall.planner.space_rules import space_of
from scalewall.planner.step import step_time

EVALUATION_BOUND = 20e-6
GPT3_BOUND = 2.0
DEEPSEEK_BOUND = 5.0
COLD_BOUND = 2.0
ALL_SCHEDULES = ("schedule=1f1b,gpipe,zb-1p,zb-2p,dualpipe", "sharding=none,optimizer,gradients,parameters")
REPEATS = 3


def seconds_of(work: Callable[[], object]) -> float:
    """Processor time of a call: what the machine does beside it does not count."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def searched(question: PlanQuestion) -> tuple[float, Candidates]:
    """Least time of a whole search, space and layers' costs included, and what it found."""
    memory = question.run.device.memory_bytes
    found = search(question, space_of(question), memory)
    times = [seconds_of(lambda: search(question, space_of(question), memory)) for _ in range(REPEATS)]
    return min(times), found


def compiled(question: PlanQuestion) -> float:
    """Time an evaluation spends in the compiled kernel alone."""
    spent = 0.0
    kernel = search_module.evaluate_row

    def timed(*arguments: object) -> int:
        nonlocal spent
        begun = time.perf_counter()
        written = kernel(*arguments)  # type: ignore[arg-type]
        spent += time.perf_counter() - begun
        return written

    search_module.evaluate_row = timed  # type: ignore[assignment]
    try:
        found = search(question, space_of(question), question.run.device.memory_bytes)
    finally:
        search_module.evaluate_row = kernel
    return spent / found.tally["evaluated"]


def readable(question: PlanQuestion, layouts: list[Layout]) -> float:
    """Time a layout of the readable functions in a loop: step and memory."""

    def loop() -> None:
        for layout in layouts:
            step_time(question.run, layout, question.profile)
            fit_of(question.run, layout, question.profile)

    loop()
    return seconds_of(loop) / len(layouts)


def cold(arguments: list[str]) -> float:
    """Least processor time of the command in a process of its own, kernels compiled before."""
    times = []
    for _ in range(REPEATS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command(["-m", "scalewall", *arguments])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def main() -> None:
    heading("The planner's search")
    questions = {
        "GPT-3 175B on 4,096 A100": (question_of("gpt3-175b", "a100-80gb", 4096, 1536, 2048), GPT3_BOUND),
        "  with all schedules, shardings": (
            replace(
                question_of("gpt3-175b", "a100-80gb", 4096, 1536, 2048, profile="bridge-2026"),
                bounds=tuple(map(parse_bound, ALL_SCHEDULES)),
            ),
            GPT3_BOUND,
        ),
        "DeepSeek-V3 on 2,048 H800": (
            question_of(
                "deepseek-v3", "h800", 2048, 15360, 4096, precision="fp8-current", dispatcher="deepep"
            ),
            DEEPSEEK_BOUND,
        ),
        "Llama 3.1 405B on 16,384 H100": (
            question_of("llama3.1-405b", "h100", 16384, 2048, 8192),
            DEEPSEEK_BOUND,
        ),
    }
    rows = []
    for name, (question, bound) in questions.items():
        seconds, found = searched(question)
        evaluated = found.tally["evaluated"]
        each = seconds / evaluated
        step = max(1, found.seconds.size // 200)
        layouts = [found.layout(number) for number in range(0, found.seconds.size, step)][:200]
        by_hand = readable(question, layouts)
        rows.append(
            (
                name,
                f"{evaluated:,}",
                f"{seconds:.2f} s",
                shown(seconds / bound),
                f"{1e6 * each:.1f} us",
                shown(each / EVALUATION_BOUND),
                f"{1e6 * min(compiled(question) for _ in range(REPEATS)):.1f} us",
                f"{1e6 * by_hand:.0f} us",
                f"{by_hand / each:.0f}",
            )
        )
    table(
        (
            "search",
            "evaluated",
            "takes",
            "of bound",
            "each",
            "of bound",
            "compiled",
            "readable",
            "times as fast",
        ),
        rows,
    )
    few = question_of("gpt3-175b", "a100-80gb", 512, 1536, 2048)
    many = replace(few, run=replace(few.run, global_batch=1024 * few.run.global_batch))
    held = tuple(map(parse_bound, ("tp=8", "pp=8", "microbatch=1", "cp=1")))
    one, other = (searched(replace(question, bounds=held)) for question in (few, many))
    ratio = (other[0] / other[1].tally["evaluated"]) / (one[0] / one[1].tally["evaluated"])
    print(f"\nAn evaluation with 1,024 times the microbatches takes {ratio:.2f} times as long.")
    usual = ["--global-batch", "1536", "--seq", "2048", "--gpus", "4096", "--machine", "a100-80gb", "--json"]
    whole = cold(["plan", "--model", "gpt3-175b", *usual])
    inside = searched(questions["GPT-3 175B on 4,096 A100"][0])[0]
    print(
        f"The command from a cold shell: {whole:.2f} s of processor time, {whole - inside:.2f} s beside the search: "
        f"{shown((whole - inside) / COLD_BOUND)} of the bound."
    )


if __name__ == "__main__":
    main()
