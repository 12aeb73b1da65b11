"""Compiled kernels and their cache.

Numba keys its on-disk cache on the file that holds a function, so an edit in a function that *another*
module calls would go unnoticed and keep its old answer. Here the cache folder's name is a hash of every
source file that a kernel can live in or read a constant from: an edit there means a fresh folder and a
fresh compilation. The rooms that only show or repeat results hold no kernels (a test checks it).
"""

from __future__ import annotations

import _signal
import hashlib
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from functools import cache, update_wrapper
from pathlib import Path
from types import FrameType, MappingProxyType
from typing import Any, TypeVar, cast

import numba
import numba.extending
import platformdirs
from numba.core import config as _numba_config

__all__ = [
    "KERNEL_ROOMS",
    "cache_folder",
    "formula",
    "inner_kernel",
    "inner_scalar_kernel",
    "is_compiled",
    "kernel",
    "scalar_kernel",
    "source_hash",
]

_Function = TypeVar("_Function", bound=Callable[..., object])
_PACKAGE = Path(__file__).resolve().parent
_PREFIX = "kernels-"
_KEEP = 4
_CACHE_SETTING = "CACHE_DIR"
_njit: Callable[..., Callable[[object], object]] = numba.njit
_OPTIONS: Mapping[str, Any] = MappingProxyType(
    {"cache": True, "error_model": "numpy", "no_cfunc_wrapper": True}
)
_UNCOUNTED: Mapping[str, Any] = MappingProxyType({"_nrt": False})
_SCALARS = frozenset({"float", "int", "bool", "None"})
KERNEL_ROOMS = ("hardware", "workload", "cost", "ideal", "planner")


@cache
def source_hash() -> str:
    """Return a hash of the source files that kernels are made of (hex, 16 digits)."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    paths = [
        *_PACKAGE.glob("*.py"),
        *(path for room in KERNEL_ROOMS for path in (_PACKAGE / room).rglob("*.py")),
    ]
    for path in sorted(paths):
        digest.update(path.relative_to(_PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def cache_folder() -> Path:
    """Return the folder that holds this source's compiled kernels, made if it is missing.

    The first of these that can be written: ``SCALEWALL_CACHE_DIR``, the package's own ``__pycache__``,
    the user's cache folder.

    Raises
    ------
    OSError
        None of them can be written.
    """
    chosen = os.environ.get("SCALEWALL_CACHE_DIR")
    roots = [Path(chosen)] if chosen else [_PACKAGE / "__pycache__"]
    roots.append(Path(platformdirs.user_cache_dir("scalewall")))
    for root in roots:
        folder = root / f"{_PREFIX}{source_hash()}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _drop_old(root, folder)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    raise OSError(
        f"no folder for compiled kernels can be written: tried {', '.join(map(str, roots))}. "
        "Name one in the environment variable SCALEWALL_CACHE_DIR."
    )


def _drop_old(root: Path, current: Path) -> None:
    """Remove all but the newest few kernel folders, so that edits do not fill the disk."""
    folders = sorted(root.glob(f"{_PREFIX}*"), key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in folders[_KEEP:]:
        if folder != current:
            shutil.rmtree(folder, ignore_errors=True)


def is_compiled(name: str) -> bool:
    """Tell whether the kernel of that name was compiled before from this source (else say "compiling")."""
    return any(cache_folder().rglob(f"*.{name}-*.nbc"))


def kernel(function: _Function) -> _Function:
    """Compile ``function`` with Numba in nopython mode, cached in :func:`cache_folder`.

    IEEE arithmetic is kept (no fast-math) so that results are the same in every caller; division by zero
    gives inf or NaN as in NumPy. A kernel that returns more than a number goes through :class:`_Door`.
    """
    compiled = _compiled(function, inner=False)
    if function.__annotations__.get("return") in _SCALARS:
        return compiled
    return cast(_Function, _Door(compiled))


def inner_kernel(function: _Function) -> _Function:
    """Compile ``function`` like :func:`kernel`, for other kernels alone: Python cannot call it.

    Without its door to Python a function that takes many arrays compiles in half the time.
    """
    return _compiled(function, inner=True)


def scalar_kernel(function: _Function) -> _Function:
    """Compile ``function`` like :func:`kernel`, one that returns a number or nothing and makes no array itself.

    Numba counts the references to every array that a function takes, to each of a named tuple's arrays too, which
    took a third of the searches' time. What makes no array does without; one that does (``np.empty``, also
    ``array.max()``) fails to compile: "Only accept returning of array passed into the function as argument".
    """
    return _compiled(function, inner=False, options=_UNCOUNTED)


def inner_scalar_kernel(function: _Function) -> _Function:
    """Compile ``function`` like :func:`scalar_kernel`, for other kernels alone."""
    return _compiled(function, inner=True, options=_UNCOUNTED)


def formula(function: _Function) -> _Function:
    """Leave ``function`` to Python as it is, and let kernels compile it: one formula for a single plan and a search.

    A single plan is then answered without waiting for a compilation.
    """
    known: _Function = numba.extending.register_jitable(function)
    return known


def _compiled(
    function: _Function, inner: bool, options: Mapping[str, Any] = MappingProxyType({})
) -> _Function:
    before = getattr(_numba_config, _CACHE_SETTING)
    setattr(_numba_config, _CACHE_SETTING, str(cache_folder()))
    try:
        compiled = _njit(**_OPTIONS, **options, no_cpython_wrapper=inner)(function)
    finally:
        setattr(_numba_config, _CACHE_SETTING, before)
    return cast(_Function, compiled)


class _Door:
    """A kernel as Python calls it: Ctrl-C waits until the result is whole.

    Numba builds arrays and named tuples for Python with Python code, where a pending Ctrl-C raises; Numba does
    not look, and the process dies. ``_signal`` is the standard library's ``signal`` without the conversion to
    enumerations that would cost more than many a kernel. Other kernels call the kernel itself, by its ``_numba_type_``.
    """

    def __init__(self, compiled: Callable[..., object]) -> None:
        self.kernel = compiled
        self._numba_type_ = cast(Any, compiled)._numba_type_
        update_wrapper(self, compiled, updated=())

    def __call__(self, *arguments: object) -> object:
        before = _signal.getsignal(signal.SIGINT)
        if not callable(before) or threading.get_ident() != threading.main_thread().ident:
            return self.kernel(*arguments)
        held: list[FrameType | None] = []
        _signal.signal(signal.SIGINT, lambda _, frame: held.append(frame))
        try:
            return self.kernel(*arguments)
        finally:
            _signal.signal(signal.SIGINT, before)
            if held:
                before(signal.SIGINT, held[0])
