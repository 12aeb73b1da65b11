"""Accelerators, networks and clusters, and the catalogue of them."""

from scalewall.hardware.build import UnsupportedMachineError
from scalewall.hardware.catalogue import (
    figure_paths,
    load_machine,
    machine_names,
    read_machine,
    usable_products,
)
from scalewall.hardware.machine import Accelerator, Cluster, Figure, MemoryLevel, Network, NetworkLevel
from scalewall.hardware.machine_file import MachineFile, MistakesError
from scalewall.hardware.overrides import parse_override
from scalewall.hardware.sheet import ComparisonRow, SheetRow, comparison_rows, sheet_rows

__all__ = [
    "Accelerator",
    "Cluster",
    "ComparisonRow",
    "Figure",
    "MachineFile",
    "MemoryLevel",
    "MistakesError",
    "Network",
    "NetworkLevel",
    "SheetRow",
    "UnsupportedMachineError",
    "comparison_rows",
    "figure_paths",
    "load_machine",
    "machine_names",
    "parse_override",
    "read_machine",
    "sheet_rows",
    "usable_products",
]
