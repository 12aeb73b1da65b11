"""Machine of a row of the exchange format."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from scalewall.hardware.catalogue import machine_names
from scalewall.validation.runs_fields import MissingError, need

__all__ = ["machine_of"]

_MACHINES = {
    "a800": "a100-80gb",
    "gb200": "gb200-nvl72",
    "gb300": "gb300-nvl72",
    "v10032gb": "v100",
    "mi250xgcd": "mi250x",
}
"""Accelerators whose name in the catalogue is another, squeezed."""
_DIE = {
    "accelerator.units": 110,
    "precision.16.peak_flops": 191.5e12,
    "memory.0.capacity_bytes": 64e9,
    "memory.0.bandwidth": 1.638e12,
    "network.0.size": 8,
    "network.1.bandwidth": 12.5e9,
}
"""One die of the MI250X, which software counts as an accelerator: half of the catalogue's."""
_SLOW_H100 = {"memory.0.bandwidth": 2.4e12, "memory.0.capacity_bytes": 96e9, "power.watts": 500.0}
"""H100s of 96 GB with HBM2e and a limit of 500 W, as torchtitan describes those that it was measured on."""
_SLOW_LINK = 200e9
"""Bytes a second of an A800 within a node."""
_FORM = re.compile(r"nvidia|amd|google|cloud|[hd]gx|sxm\d?|tensorcore|gpus?|[^a-z0-9]")
_SIZE = re.compile(r"(?<=[\s_-])\d+ ?gb\b")


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    """Return the catalogue's names by what is left of them without punctuation."""
    return {re.sub(r"\W", "", name): name for name in machine_names()} | _MACHINES


def _name_of(gpu: str, gigabytes: Any) -> str | None:
    """Return the catalogue's name of an accelerator, whatever its form and memory are written as."""
    named = _names()
    full, short = (_FORM.sub("", words) for words in (gpu.lower(), _SIZE.sub("", gpu.lower())))
    for name in (full, short, f"{short}{gigabytes}gb", f"{short}80gb"):
        if name in named:
            return named[name]
    return None


def machine_of(row: dict[str, Any]) -> dict[str, Any]:
    """Return the name of a row's machine, and what differs from the catalogue.

    Raises
    ------
    MissingError
        A machine that is not given, or not in the catalogue.
    """
    gpu, gigabytes = str(need(row, "gpu")), row.get("gpu_mem_gb")
    name = _name_of(gpu, gigabytes)
    if name is None:
        raise MissingError(f"accelerator {gpu} is not in the catalogue")
    made: dict[str, Any] = {"name": name}
    if "gcd" in gpu.lower():
        made |= _DIE
    if row.get("inter_bw_gbps_per_gpu"):
        made["network.1.bandwidth"] = float(row["inter_bw_gbps_per_gpu"]) * 1e9 / 8
    if gpu.startswith("A800"):
        made["network.0.bandwidth"] = _SLOW_LINK
    if name == "h100" and gigabytes == 96:
        made |= _SLOW_H100
    return made
