"""A question saved as a scenario file and asked again: the same answer, with the version that gave it."""

import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

import tomli_w

import scalewall as sw
from scalewall.ideal.limits import limits_of

study = sw.LimitsStudy(machines=("h100",), months=6, batch_law="zhang", grid=(5, 12288, 200_000))
first = limits_of(study, "h100")

with TemporaryDirectory() as folder:
    path = Path(folder) / "question.toml"  # `scalewall limits --save question.toml` writes the same
    path.write_text(tomli_w.dumps(study.to_scenario()), encoding="utf-8")
    print(path.read_text(encoding="utf-8"))
    replayed = sw.LimitsStudy.from_scenario(tomllib.loads(path.read_text(encoding="utf-8")))

again = limits_of(replayed, "h100")
print(f"largest run on the grid: {again.largest_feasible_flop:.2e} FLOP")
print(f"the same answer: {again.to_json() == first.to_json()}")
