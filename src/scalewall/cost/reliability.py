"""What failures cost: the share of the time in which a large cluster makes progress that lasts.

Failures come at random and independently (a Poisson process), at the same rate on every accelerator.

References
----------
[1] Young, "A first order approximation to the optimum checkpoint interval", Communications of the ACM 17 (1974).
[2] Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", FGCS 22 (2006).
[3] Meta, "Training with fault-tolerant hybrid-shared data parallelism on 100,000 GPUs", arXiv 2602.00277 (2026).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from scalewall._jit import formula

__all__ = ["NEVER", "Reliability", "checkpoint_interval", "replica_share", "slowdown", "whole_job_share"]


class Reliability(NamedTuple):
    """How often accelerators fail and what a failure costs.

    Parameters
    ----------
    failure_rate : float
        Failures that stop the job, an accelerator and second; 0: none.
    checkpoint_seconds : float
        Pause of the run while a checkpoint is written.
    restart_seconds : float
        From a failure until what failed works again: detection, replacement, loading.
    regroup_seconds : float
        Pause of all other replicas until they go on without the one that failed.
    by_replica : bool
        A failure stops its own replica only, which then fetches its state from another; else the whole job goes
        back to its last checkpoint.
    """

    failure_rate: float = 0.0
    checkpoint_seconds: float = 30.0
    restart_seconds: float = 600.0
    regroup_seconds: float = 180.0
    by_replica: bool = False


NEVER = Reliability()
"""No failures: the ideal model."""


@formula
def checkpoint_interval(between: float, checkpoint: float) -> float:
    """Best time between checkpoints, ``sqrt(2 c M)`` [1] (s).

    Parameters
    ----------
    between : float
        Mean time between failures of the job ``M`` (s).
    checkpoint : float
        Pause for a checkpoint ``c`` (s).
    """
    return math.sqrt(2 * checkpoint * between)


@formula
def whole_job_share(between: float, checkpoint: float, restart: float) -> float:
    """Share of the time that counts when every failure throws the whole job back to its last checkpoint.

    With an interval ``t`` of :func:`checkpoint_interval`, ``t / (M exp(r / M) (exp((t + c) / M) - 1))`` [2]:
    exact for failures at random, in restarts too; ``1 - c/t - (t/2 + r) / M`` where failures are rare. At 100,000
    accelerators, 3.4e-5 failures an hour, ``c`` of 30 s and ``r`` of 10 minutes it gives 0.44, what [3] reports.

    Parameters
    ----------
    between, checkpoint : float
        ``M`` and ``c``, see :func:`checkpoint_interval` (s).
    restart : float
        ``r``: from a failure to the next step (s).
    """
    interval = checkpoint_interval(between, checkpoint)
    cycle = (interval + checkpoint) / between
    return interval / between * math.exp(-restart / between - cycle) / -math.expm1(-cycle)


@formula
def replica_share(between: float, regroup: float, restart: float, replicas: float) -> float:
    """Share of the time that counts when a failure stops its own replica only.

    ``exp(-g / M) exp(-r / (M R))``: all pause for ``g`` after each failure of the job, and each of ``R`` replicas is
    away for ``r`` after its own. Nothing is done again, since the state comes from another replica. At 100,000
    accelerators and 3.4e-5 failures an hour it gives 0.84 for the pause of 3 minutes that [3] reports with 0.80.

    Parameters
    ----------
    between : float
        Mean time between failures of the job ``M`` (s).
    regroup, restart : float
        ``g`` and ``r`` (s).
    replicas : float
        ``R``, at least 2.
    """
    return math.exp(-regroup / between - restart / (between * replicas))


@formula
def slowdown(accelerators: float, replicas: float, reliability: Reliability) -> float:
    """How many times longer a run takes for its failures; exactly 1 without any.

    Parameters
    ----------
    accelerators : float
        At work.
    replicas : float
        Copies of the model among them; a single one cannot recover from another.
    reliability : Reliability
        Rates and times.
    """
    if reliability.failure_rate == 0:
        return 1.0
    between = 1 / (accelerators * reliability.failure_rate)
    if reliability.by_replica and replicas > 1:
        share = replica_share(between, reliability.regroup_seconds, reliability.restart_seconds, replicas)
    else:
        share = whole_job_share(between, reliability.checkpoint_seconds, reliability.restart_seconds)
    return 1 / share if share > 0 else math.inf
