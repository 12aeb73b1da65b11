"""What ``scalewall schedule`` makes of its options: costs of parts and messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scalewall.errors import InputError

if TYPE_CHECKING:
    from scalewall.cost.pipeline import Costs, Placement, Sends, Work

__all__ = ["costs", "ends", "sends", "works"]


def _numbers(option: str, text: str) -> list[float]:
    try:
        return [float(word) for word in text.split(",")]
    except ValueError as error:
        raise InputError(option, text, "numbers with commas between them: 1 or 1,1,1.2") from error


def works(placement: Placement, single: bool, **texts: str | None) -> list[Work]:
    """Return one figure a stage, or only one where the figures are a layer's (``single``)."""
    from scalewall.cost.pipeline import Work

    texts["activation_bytes"] = texts["activation_bytes"] or "1"
    texts["gradient_bytes"] = texts["gradient_bytes"] or texts["activation_bytes"]
    count = 1 if single else placement.stages
    columns: dict[str, list[float]] = {}
    for name, text in texts.items():
        option = f"--{name.replace('_', '-')}"
        values = _numbers(option, text or "0")
        if len(values) not in (1, count):
            allowed = "one number, a layer's" if single else f"one number, or {count}: one a stage"
            raise InputError(option, text, allowed)
        columns[name] = values if len(values) == count else values * count
    return [Work(**{name: values[place] for name, values in columns.items()}) for place in range(count)]


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
    bandwidth: float,
    latency: float,
    cluster: str | None,
    stride: int,
) -> Sends:
    """Return the messages over the named machine's network, or over one link of the given figures."""
    from scalewall.cost.pipeline import network_sends
    from scalewall.errors import check_finite
    from scalewall.hardware import Network, NetworkLevel, load_machine

    if cluster is not None:
        return network_sends(placement, load_machine(cluster).network, message_bytes, stride)
    if not bandwidth > 0.0:
        raise InputError("--bandwidth", bandwidth, "a number of bytes/s above 0")
    check_finite("--latency", latency, 0.0, 1e6, "s")
    flat = Network((NetworkLevel("between stages", None, bandwidth, latency),))
    return network_sends(placement, flat, message_bytes, stride)


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
