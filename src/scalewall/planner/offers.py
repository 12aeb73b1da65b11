"""What the software of a profile offers: schedules, sharding, recomputation, kinds of parallelism."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from scalewall.planner.figures import SHARDINGS
from scalewall.planner.layout import SCHEDULES, Recompute, Sharding

__all__ = ["EVERYTHING", "Offers", "offers_of"]


@dataclass(frozen=True)
class Offers:
    """What a framework can run.

    Parameters
    ----------
    source : str
        Where it says so.
    tp, cp, stages, chunks : bool
        Tensor and context parallelism, a pipeline, several chunks a stage.
    uneven : bool
        Whether layers need not divide over the parts of a pipeline.
    sequence_parallel : bool
        Whether tensor parallelism splits norms and residuals too.
    schedules : tuple of str
        Of the pipeline.
    shardings, with_stages : tuple of str
        Without and with a pipeline.
    recompute, modules : tuple of str
        Kinds of recomputation, and what a selective one can pick.
    """

    source: str
    tp: bool
    cp: bool
    stages: bool
    chunks: bool
    uneven: bool
    sequence_parallel: bool
    schedules: tuple[str, ...]
    shardings: tuple[Sharding, ...]
    with_stages: tuple[Sharding, ...]
    recompute: tuple[Recompute, ...]
    modules: tuple[str, ...]


EVERYTHING = Offers(
    source="no software's limits",
    tp=True,
    cp=True,
    stages=True,
    chunks=True,
    uneven=True,
    sequence_parallel=True,
    schedules=SCHEDULES,
    shardings=SHARDINGS,
    with_stages=SHARDINGS,
    recompute=("none", "selective", "full"),
    modules=("core_attn", "mlp", "moe", "mla_up_proj"),
)
"""Whatever a layout can say."""


@cache
def _offers() -> Mapping[str, Offers]:
    text = files("scalewall.planner").joinpath("data/offers.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    sources = tables.pop("sources")
    found = {}
    for name, table in tables.items():
        values = {key: tuple(one) if isinstance(one, list) else one for key, one in table.items()}
        found[name] = Offers(**values | {"source": sources[table["source"]]})
    return MappingProxyType(found)


def offers_of(profile: str) -> Offers:
    """Return what the software of the profile called ``profile`` offers."""
    return _offers()[profile]
