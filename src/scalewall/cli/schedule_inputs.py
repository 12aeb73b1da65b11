"""What ``scalewall schedule`` makes of its options: costs of parts and messages."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from scalewall.errors import InputError

if TYPE_CHECKING:
    from scalewall.cost.pipeline import Costs, Placement, Sends, Work
    from scalewall.hardware import Network

__all__ = ["costs", "ends", "sends", "works"]


def _numbers(option: str, text: str) -> list[float]:
    try:
        values = [float(word) for word in text.split(",")]
    except ValueError as error:
        raise InputError(option, text, "numbers with commas between them: 1 or 1,1,1.2") from error
    if not all(math.isfinite(value) and value >= 0.0 for value in values):
        raise InputError(option, text, "finite numbers, at least 0", ["0"])
    return values


def works(placement: Placement, single: bool, **texts: str | None) -> list[Work]:
    """Return one figure a stage, or only one where the figures are a layer's (``single``)."""
    from scalewall.cost.pipeline import Work

    if texts["activation_bytes"] is None:
        texts["activation_bytes"] = "1"
        for name in ("gradient_bytes", "fixed_bytes"):
            if texts[name] is not None:
                allowed = "nothing without --activation-bytes: else memory counts in microbatches"
                raise InputError(_option(name), texts[name], allowed)
    if texts["gradient_bytes"] is None:
        texts["gradient_bytes"] = texts["activation_bytes"]
    count = 1 if single else placement.stages
    columns: dict[str, list[float]] = {}
    for name, text in texts.items():
        values = [0.0] if text is None else _numbers(_option(name), text)
        if len(values) not in (1, count):
            allowed = "one number, a layer's" if single else f"one number, or {count}: one a stage"
            raise InputError(_option(name), text, allowed)
        columns[name] = values if len(values) == count else values * count
    return [Work(**{name: values[place] for name, values in columns.items()}) for place in range(count)]


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def ends(option: str, text: str) -> Work:
    """Return what the embedding or the loss adds: forward, input and weight gradient (seconds) in ``text``."""
    from scalewall.cost.pipeline import Work

    values = _numbers(option, text)
    if len(values) != 3:
        raise InputError(option, text, "three numbers of seconds: forward, input gradient, weight gradient")
    return Work(*values)


def sends(
    placement: Placement,
    message_bytes: float,
    bandwidth: float | None,
    latency: float | None,
    cluster: str | None,
    stride: int | None,
) -> Sends:
    """Return the messages over the named machine's network, or over one link of the given figures."""
    from scalewall.cost.pipeline import network_sends
    from scalewall.errors import check_finite
    from scalewall.hardware import Network, NetworkLevel

    if cluster is not None:
        for option, value in (("--bandwidth", bandwidth), ("--latency", latency)):
            if value is not None:
                raise InputError(option, value, "nothing beside --cluster, whose network has its own")
        return network_sends(placement, _network(cluster), message_bytes, 1 if stride is None else stride)
    if stride is not None:
        raise InputError("--stride", stride, "nothing without --cluster")
    if bandwidth is not None and not bandwidth > 0.0:
        raise InputError("--bandwidth", bandwidth, "a number of bytes/s above 0")
    seconds = 0.0 if latency is None else check_finite("--latency", latency, 0.0, 1e6, "s")
    rate = math.inf if bandwidth is None else bandwidth
    flat = Network((NetworkLevel("between stages", None, rate, seconds),))
    return network_sends(placement, flat, message_bytes, 1)


def _network(cluster: str) -> Network:
    """Return the network of a machine, at any precision that it has."""
    from scalewall.hardware import UnsupportedMachineError, load_machine, read_machine

    try:
        return load_machine(cluster, int(read_machine(cluster).levels("precision")[0])).network
    except UnsupportedMachineError as error:
        raise InputError("--cluster", cluster, error.allowed) from error
    except InputError as error:
        if error.field not in ("machine", "machine file"):
            raise
        raise InputError("--cluster", error.value, error.allowed, error.suggestions) from error


def costs(
    placement: Placement,
    layers: str | None,
    works: list[Work],
    embedding: Work,
    loss: Work,
    messages: Sends,
    overlap: bool,
    joint_fraction: float,
) -> Costs:
    """Return the costs of ``placement``: a stage's figures, or with ``layers`` a layer's."""
    from scalewall.cost.pipeline import layer_costs, spread_layers, stage_costs

    if layers is None:
        return stage_costs(
            placement,
            works,
            embedding=embedding,
            loss=loss,
            sends=messages,
            overlap=overlap,
            joint_fraction=joint_fraction,
        )
    try:
        counts = [int(word) for word in layers.split(",")]
    except ValueError as error:
        raise InputError("--layers", layers, "a whole number, or one a part: 2,3,3,2") from error
    if len(counts) == 1:
        counts = list(spread_layers(counts[0], len(placement.chains[0])))
    return layer_costs(
        placement,
        counts,
        works[0],
        embedding=embedding,
        loss=loss,
        sends=messages,
        overlap=overlap,
        joint_fraction=joint_fraction,
    )
