"""Accelerators, networks and clusters, and the catalogue of them."""

from scalewall.hardware.build import UnsupportedMachineError
from scalewall.hardware.catalogue import figure_paths, load_machine, machine_names, read_machine
from scalewall.hardware.machine import Accelerator, Cluster, Figure, MemoryLevel, Network, NetworkLevel
from scalewall.hardware.machine_file import MachineFile
from scalewall.hardware.overrides import parse_override

__all__ = [
    "Accelerator",
    "Cluster",
    "Figure",
    "MachineFile",
    "MemoryLevel",
    "Network",
    "NetworkLevel",
    "UnsupportedMachineError",
    "figure_paths",
    "load_machine",
    "machine_names",
    "parse_override",
    "read_machine",
]
