"""Charts that only the set of figures has: closed forms against the exponent difference, the depth law's data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scalewall.hardware import load_machine
from scalewall.ideal.closed_forms import BatchPerLayer, critical_compute, latency_wall
from scalewall.report import units
from scalewall.report.chart_data import REST, Axis, Chart, Series
from scalewall.workload import Laws
from scalewall.workload.laws.depth_fit import hoffmann_table

__all__ = ["closed_forms_chart", "depth_fit_chart"]

_MOST_ALPHA = 0.3
_ALPHAS = 31
_DEPTH_LAWS = ("published", "refit")


def closed_forms_chart(machines: Sequence[str]) -> Chart:
    """Return both closed forms against alpha, the batch's exponent in compute less the depth's (paper)."""
    alphas = [float(alpha) for alpha in np.linspace(0.0, _MOST_ALPHA, _ALPHAS)]
    lines = {
        f"{machine}: bandwidth": [
            critical_compute(load_machine(machine), BatchPerLayer(alpha)) for alpha in alphas
        ]
        for machine in machines
    }
    lines["latency wall"] = [latency_wall(BatchPerLayer(alpha)) for alpha in alphas]
    return Chart(
        title="Closed forms against how fast the batch outgrows the depth",
        x=Axis("Exponent of the batch in compute, less that of the depth"),
        y=Axis("Training compute (FLOP)", log=True),
        series=tuple(
            Series(
                name=name,
                x=tuple(alphas),
                y=tuple(values),
                hover=tuple(
                    f"{units.flop(value)} at {alpha:.2f}" for alpha, value in zip(alphas, values, strict=True)
                ),
                colour=REST if name == "latency wall" else index,
                dash="dash" if name == "latency wall" else "solid",
                marked=False,
            )
            for index, (name, values) in enumerate(lines.items())
        ),
    )


def depth_fit_chart() -> Chart:
    """Return the 50 models that the depth law was fitted to, with the published and the refitted law."""
    table = hoffmann_table()
    products = table["d_model"] * table["d_ff"]
    ends = np.geomspace(products.min(), 16 * 12288**2, 50)
    data = Series(
        name="models of Hoffmann et al., table A9",
        x=tuple(float(product) for product in products),
        y=tuple(float(layers) for layers in table["layers"]),
        hover=tuple(
            f"{units.count(parameters)} parameters, {layers:.0f} layers"
            for parameters, layers in zip(table["parameters"], table["layers"], strict=True)
        ),
        colour=REST,
        kind="points",
    )
    laws = [
        Series(
            name=f"{name} law",
            x=tuple(float(product) for product in ends),
            y=tuple(
                float(Laws(depth=name).evaluate("depth", d_model=1.0, d_ff=float(product)))
                for product in ends
            ),
            hover=tuple(f"d_model * d_ff = {product:.3g}" for product in ends),
            colour=index,
            marked=False,
        )
        for index, name in enumerate(_DEPTH_LAWS)
    ]
    return Chart(
        title="The depth law and the models that it was fitted to",
        x=Axis("d_model * d_ff", log=True),
        y=Axis("Layers", log=True),
        series=(data, *laws),
    )
