"""A user's own measurements of a cluster, which take the place of the public ones."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from scalewall.errors import InputError, check_finite, unknown_name
from scalewall.planner.constants import value
from scalewall.planner.device import Device

__all__ = ["pin_measured"]

_LARGEST = 1_000_000
_KEYS = {
    "matmul": ("share_16", "share_8", "share_4"),
    "collectives": ("fast_bus_bandwidth", "slow_bus_bandwidth"),
    "memory": ("bandwidth",),
}


def pin_measured(device: Device, path: Path) -> Device:
    """Return ``device`` with the figures of a TOML file.

    The file may hold ``[matmul] share_16, share_8, share_4`` (share of the peak that large matmuls reach),
    ``[collectives] fast_bus_bandwidth, slow_bus_bandwidth`` (bytes/s an accelerator, the bus bandwidth of
    nccl-tests within a fast domain, and of one rank a domain beyond) and ``[memory] bandwidth`` (bytes/s).

    Raises
    ------
    InputError
        A file that cannot be read, an unknown key, or an implausible value.
    """
    tables = _read(path)
    for table, entries in tables.items():
        if table not in _KEYS:
            raise unknown_name(f"{path}: table", table, _KEYS)
        if not isinstance(entries, dict):
            raise InputError(f"{path}: {table}", entries, "a table")
        for key in entries:
            if key not in _KEYS[table]:
                raise unknown_name(f"{path}: {table} key", key, _KEYS[table])
    if not any(tables.values()):
        wanted = ", ".join(f"{table}.{key}" for table, keys in _KEYS.items() for key in keys)
        raise InputError("--measured", str(path), f"a file with at least one of {wanted}")
    shares = dict(device.sustained)
    for key, share in tables.get("matmul", {}).items():
        bits = int(key.removeprefix("share_"))
        if bits not in shares:
            offered = [f"share_{word}" for word in shares]
            raise InputError(
                f"{path}: matmul key", key, f"precisions of {device.name}: {', '.join(offered)}", offered
            )
        shares[bits] = check_finite(f"{path}: matmul.{key}", share, 0.01, 1.0, "of the peak")
    links = tables.get("collectives", {})
    fast = _bandwidth(path, "collectives.fast_bus_bandwidth", links.get("fast_bus_bandwidth"))
    slow = _bandwidth(path, "collectives.slow_bus_bandwidth", links.get("slow_bus_bandwidth"))
    memory = _bandwidth(path, "memory.bandwidth", tables.get("memory", {}).get("bandwidth"))
    return replace(
        device,
        sustained=MappingProxyType(shares),
        fast_bandwidth=fast / value("collective.fast_fraction") if fast else device.fast_bandwidth,
        slow_bandwidth=slow / value("collective.slow_fraction") if slow else device.slow_bandwidth,
        memory_bandwidth=memory or device.memory_bandwidth,
    )


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise InputError("--measured", str(path), "an existing file")
    if path.stat().st_size > _LARGEST:
        raise InputError("--measured", str(path), f"a file of at most {_LARGEST} bytes")
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError("--measured", str(path), f"a TOML file ({error})") from error


def _bandwidth(path: Path, key: str, given: object) -> float:
    if given is None:
        return 0.0
    return check_finite(f"{path}: {key}", given, 1e6, 1e14, "bytes/s")  # type: ignore[arg-type]
