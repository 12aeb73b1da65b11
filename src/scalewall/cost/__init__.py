"""Shared physics: matmuls, collectives, pipeline schedules, as pure functions that also run compiled."""
