"""The catalogue: machines by name, or a user's own file by path."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from scalewall.errors import InputError, nearest, unknown_name
from scalewall.hardware.build import build_cluster
from scalewall.hardware.checks import check_machine_file, lacking
from scalewall.hardware.machine import Cluster, Figure
from scalewall.hardware.machine_file import Chain, MachineFile, read_machine_file
from scalewall.hardware.overrides import settable_paths

__all__ = ["figure_paths", "load_machine", "machine_names", "read_machine", "usable_products"]

_DATA = Path(__file__).parent / "data"
_NO_OVERRIDES: Mapping[str, float] = MappingProxyType({})


@cache
def _catalogue() -> Mapping[str, Path]:
    """Return the catalogue's files by machine name."""
    return {path.stem: path for path in sorted(_DATA.glob("*.toml"), key=lambda path: path.stem)}


def machine_names() -> list[str]:
    """Return the names of the catalogue's machines, sorted."""
    return list(_catalogue())


def read_machine(name_or_path: str | os.PathLike[str]) -> MachineFile:
    """Read a machine's figures without building a cluster from them.

    Parameters
    ----------
    name_or_path : str or path
        A name of the catalogue, or the path of a machine file (ends in ``.toml`` or has a folder in it).

    Returns
    -------
    MachineFile
        Every figure of the machine and of those that it builds on, in SI units.

    Raises
    ------
    InputError
        Unknown name, missing file, or whatever is wrong in the file, by file and path.
    """
    if not isinstance(name_or_path, (str, os.PathLike)):
        raise InputError("machine", name_or_path, _machine_words())
    text = os.fspath(name_or_path)
    if text in _catalogue():
        return _read_catalogue(text)
    if not text.endswith(".toml") and os.sep not in text:
        raise InputError("machine", text, _machine_words(), nearest(text, machine_names()))
    machine = read_machine_file(Path(text), _read_base)
    check_machine_file(machine)
    return machine


@cache
def _read_catalogue(name: str) -> MachineFile:
    machine = read_machine_file(_catalogue()[name], _read_base)
    if machine.name != name:
        raise InputError(f"{machine.origin}: name", machine.name, f"the file's own name, {name}")
    check_machine_file(machine)
    return machine


def _read_base(name: str, file: Path, chain: Chain) -> MachineFile:
    """Read the base called ``name``: the file of that name beside ``file``, else the catalogue's machine."""
    beside = file.parent / (name if name.endswith(".toml") else f"{name}.toml")
    if file.parent != _DATA and beside.exists() and (beside != file or name not in _catalogue()):
        return read_machine_file(beside, _read_base, chain)
    if name in _catalogue():
        return _read_catalogue(name)
    raise unknown_name(
        f"{file}: base", name, [*machine_names(), *(path.name for path in file.parent.glob("*.toml"))]
    )


def _machine_words() -> str:
    """Say what names a machine."""
    return f"one of {len(_catalogue())} names (scalewall hardware list) or a machine file, NAME.toml"


def load_machine(
    name_or_path: str | os.PathLike[str], precision: int = 16, overrides: Mapping[str, float] = _NO_OVERRIDES
) -> Cluster:
    """Return a machine as the models use it.

    Parameters
    ----------
    name_or_path : str or path
        A name of the catalogue (:func:`machine_names`) or the path of a machine file.
    precision : int
        Bits of a word of weights and activations: 32, 16, 8 or 4, as the machine has them.
    overrides : mapping of str to float
        Figures to set for this cluster, by path (:func:`figure_paths`), in SI units.

    Returns
    -------
    Cluster
        Frozen; ``figures`` has every figure used with its evidence, ``warnings`` what to look at again.

    Raises
    ------
    InputError
        Unknown machine, precision or path, implausible value, or a mistake in the file.
    UnsupportedMachineError
        Nobody publishes a figure that the model needs; an override may supply it.
    """
    return build_cluster(read_machine(name_or_path), precision, overrides)


def usable_products(precision: int = 16, overrides: Mapping[str, float] = _NO_OVERRIDES) -> list[str]:
    """Return the catalogue's products that the models can use, by release date and name.

    Parameters
    ----------
    precision : int
        Bits of a word; products that do not offer it are left out.
    overrides : mapping of str to float
        Figures to set for each, by path, in SI units; they may supply what is missing.

    Raises
    ------
    InputError
        A path that one of the products does not have, or an implausible value.
    """
    usable = []
    for machine in map(_read_catalogue, _catalogue()):
        bits = str(precision)
        offered = machine.kind == "product" and bits in machine.levels("precision")
        if offered and overrides.keys() >= set(lacking(machine, machine.figures, bits)):
            build_cluster(machine, precision, overrides)
            usable.append((machine.released.value if machine.released else "", machine.name))
    return [name for _, name in sorted(usable)]


def figure_paths(name_or_path: str | os.PathLike[str]) -> dict[str, Figure | None]:
    """Return every path that can be set on a machine, with its figure; None where the file gives none."""
    machine = read_machine(name_or_path)
    return {path: machine.figures.get(path) for path in settable_paths(machine)}
