"""Property tests try the same examples in every run, so that a green gate stays green; others on request."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "repeatable", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))
