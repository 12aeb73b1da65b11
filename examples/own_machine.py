"""A machine of your own: a file that builds on one of the catalogue, checked, shown and compared."""

from pathlib import Path
from tempfile import TemporaryDirectory

import scalewall as sw

FILE = """
schema = 1
name = "my-rack"
title = "H100s, 32 behind one NVLink switch, 800 Gbit/s out"
kind = "user"
base = "h100"
replace = ["network.0.size", "network.1.bandwidth"]

[sources]
plan = "Our plan for the next cluster"

[network.0]
size = { value = 32, evidence = "datasheet", source = "plan" }

[network.1]
bandwidth = { value = 100e9, evidence = "datasheet", source = "plan", note = "one direction" }
"""

with TemporaryDirectory() as folder:
    path = Path(folder) / "my-rack.toml"
    path.write_text(FILE, encoding="utf-8")
    for machine in ("h100", str(path)):
        limits = sw.limits(machine, search="reference", grid=(15, 12288, 300_000))
        band = limits.linear_scaling
        print(f"{limits.title}:\n    efficient up to {band.last_pass_flop:.2e} FLOP", end=", ")
        print(f"largest run {limits.largest_feasible_flop:.2e} FLOP")
