"""The software that is taken where the user names none."""

from __future__ import annotations

from scalewall.planner.device import Device
from scalewall.planner.profile import Profile, load_profile, profile_names, with_constants

__all__ = ["NEWEST", "bare_profile", "usual_profile"]

NEWEST = "bridge-2026"
"""The newest release whose fit has many runs."""
_FAMILY = ("megatron-lm", "megatron-core", "megatron-bridge")
"""Words of frameworks of one family, oldest first: what most published large runs used."""
_BARE = {
    "compute": 1.0,
    "elementwise": 1.0,
    "tensor": 1.0,
    "data": 1.0,
    "context": 1.0,
    "exchange": 1.0,
    "bubble": 1.0,
    "host": 0.0,
    "expert_host": 0.0,
    "contention": 0.0,
}


def usual_profile(device: Device) -> tuple[Profile, str]:
    """Return the profile for a machine, and in words why: the newest of Megatron that was fitted on its generation.

    Parameters
    ----------
    device : Device
        The machine.
    """
    newest = load_profile(NEWEST)
    known = [load_profile(name) for name in profile_names()]
    fitted = [
        profile
        for profile in known
        if any(word in _FAMILY for word in profile.frameworks)
        and profile.last <= newest.last
        and any(_generation(machine) == _generation(device.name) for machine in profile.fit.machines)
    ]
    if not fitted or newest in fitted:
        return newest, f"software as in the profile {NEWEST}"
    chosen = max(fitted, key=lambda profile: profile.last)
    return chosen, f"software as in the profile {chosen.name}, the newest of Megatron fitted on this machine"


def _generation(machine: str) -> str:
    """``a100`` of ``a100-80gb``."""
    return machine.partition("-")[0]


def bare_profile(profile: Profile) -> Profile:
    """Return ``profile`` with constants of physics alone: no software's overhead, nothing fitted."""
    return with_constants(profile, _BARE)
