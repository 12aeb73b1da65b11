"""Limits in closed form: what arithmetic on one page says before any search.

All take a dense stack on 20 tokens a parameter, so that ``C = 120 * N**2`` FLOP, and let the batch per
layer grow with compute as ``B / L = (B0 / L0) * (C / C0)**alpha``, where ``alpha`` is the batch's exponent
in compute less the depth's. A *node* is one innermost network domain.

References
----------
.. [1] E. Erdil and D. Schneider-Joseph, "Data movement limits to frontier model training",
   arXiv:2411.01137 (2024).
.. [2] Epoch AI, "Data movement bottlenecks to large-scale model training: scaling past 1e28 FLOP" (2024).
"""

from __future__ import annotations

from dataclasses import dataclass

from scalewall.errors import check_finite
from scalewall.hardware.machine import Cluster

__all__ = [
    "PUBLISHED_LAYER_LATENCY",
    "QUARTER_SECONDS",
    "BatchPerLayer",
    "Node",
    "critical_compute",
    "dense_training_flop",
    "latency_wall",
    "layer_latency",
    "node_of",
    "parameter_limit",
]

QUARTER_SECONDS = 365.25 / 4 * 86400
"""Three months, the duration of [1] (seconds)."""

PUBLISHED_LAYER_LATENCY = 9e-6
"""Seconds that [1] and [2] charge for a matmul and its all-reduce; see :func:`layer_latency`."""

_TOKENS_PER_PARAMETER = 20.0
"""Chinchilla's ratio (Hoffmann et al. 2022, arXiv:2203.15556)."""

_SYNCHRONIZATIONS = 4.0
"""All-reduces in sequence a layer and batch: two matmuls, forward and backward [2]."""


@dataclass(frozen=True)
class BatchPerLayer:
    """How the batch per layer grows with compute: ``B / L = (B0 / L0) * (C / C0)**alpha`` [1].

    Parameters
    ----------
    alpha : float
        Batch exponent less depth exponent, both in training compute; 0: constant.
    batch_tokens, layers, training_flop : float
        The anchor ``B0`` (tokens), ``L0`` and ``C0`` (FLOP); the defaults are those of [1].
    """

    alpha: float = 0.0
    batch_tokens: float = 4e6
    layers: float = 100.0
    training_flop: float = 3e23

    def __post_init__(self) -> None:
        check_finite("alpha", self.alpha, -1, 0.49, "(both limits are endless from 0.5 on)")
        check_finite("batch_tokens", self.batch_tokens, 1, 1e15, "tokens")
        check_finite("layers", self.layers, 1, 1e6, "layers")
        check_finite("training_flop", self.training_flop, 1e6, 1e40, "FLOP")

    @property
    def reference(self) -> float:
        """``B0 / L0 * C0**(-alpha)``."""
        return float(self.batch_tokens / self.layers * self.training_flop**-self.alpha)


@dataclass(frozen=True)
class Node:
    """Rates of one node, in the units of the closed form.

    Parameters
    ----------
    multiply_adds : float
        Peak multiply-adds a second.
    network_words : float
        Words a second in one direction on the outermost network level.
    memory_words : float
        Words a second of the outermost memory in one direction: half its bandwidth.
    """

    multiply_adds: float
    network_words: float
    memory_words: float

    @property
    def least_tokens(self) -> float:
        """Tokens a microbatch below which reading weights takes longer than using them."""
        return self.multiply_adds / self.memory_words

    @property
    def least_shard(self) -> float:
        """Side of a square weight shard below which its tensor-parallel traffic outlasts its arithmetic.

        A token costs a shard of side ``m`` ``3 * m**2`` multiply-adds (forward and twice that backward) and
        sends about ``4 * m`` words, hence ``4/3 * multiply_adds / network_words``.
        """
        return 4 * self.multiply_adds / (3 * self.network_words)


def node_of(cluster: Cluster) -> Node:
    """Return the rates of one node of a cluster.

    Parameters
    ----------
    cluster : Cluster
        The node is its innermost network domain (one accelerator where that level is unbounded), the network
        its outermost level.

    Returns
    -------
    Node
    """
    accelerator, levels = cluster.accelerator, cluster.network.levels
    size = levels[0].size or 1
    word = accelerator.word_bytes
    return Node(
        multiply_adds=size * accelerator.peak_flops / 2,
        network_words=size * levels[-1].bandwidth / word,
        memory_words=size * accelerator.memory[0].bandwidth / (2 * word),
    )


def critical_compute(
    cluster: Cluster, batch_per_layer: BatchPerLayer | None = None, seconds: float = QUARTER_SECONDS
) -> float:
    """Training compute at which bandwidth ends efficient scaling of a dense stack [1].

    ``2 * [ (ref * mac * t / (shard**2 * nano))**2 / 960 ]**(1 / (1 - 2*alpha))`` with ``ref`` of
    :class:`BatchPerLayer`, ``mac`` the node's multiply-adds a second, ``shard`` :attr:`Node.least_shard` and
    ``nano`` :attr:`Node.least_tokens`. How it comes about: each matrix splits over at most
    ``N / (2*L*shard**2)`` nodes, and copies times stages are at most ``B / (2*nano)`` (a zero-bubble pipeline
    needs two microbatches a stage); so many nodes do ``60 * N**2`` multiply-adds within ``t`` up to
    ``N = ref * mac * t / (240 * shard**2 * nano)``, and ``60 / 240**2 = 1 / 960``.

    Parameters
    ----------
    cluster : Cluster
        Taken as in :func:`node_of`.
    batch_per_layer : BatchPerLayer, optional
        Default: constant at the anchor of [1].
    seconds : float
        Duration of the run ``t``.

    Returns
    -------
    float
        FLOP; infinite where the network or the memory is.

    Raises
    ------
    InputError
        For a duration that is not usable.
    """
    law = batch_per_layer or BatchPerLayer()
    check_finite("seconds", seconds, 1, 1e12, "seconds")
    node = node_of(cluster)
    hidden = node.least_shard**2 * node.least_tokens
    if hidden == 0:
        return float("inf")
    return _compute_limit((law.reference * node.multiply_adds * seconds / hidden) ** 2 / 960, law)


def latency_wall(
    batch_per_layer: BatchPerLayer | None = None,
    seconds: float = QUARTER_SECONDS,
    layer_seconds: float = PUBLISHED_LAYER_LATENCY,
) -> float:
    """Training compute beyond which latency alone outlasts the run, whatever the bandwidth [1].

    ``2 * [ (3/320) * (ref * t / t_lat)**2 ]**(1 / (1 - 2*alpha))``: the same statement as
    :func:`parameter_limit`, as compute and with a batch that may grow.

    Parameters
    ----------
    batch_per_layer : BatchPerLayer, optional
        Default: constant at the anchor of [1].
    seconds : float
        Duration of the run ``t``.
    layer_seconds : float
        ``t_lat``: seconds of one matmul's fixed cost and its all-reduce; see :func:`layer_latency`.

    Returns
    -------
    float
        FLOP.

    Raises
    ------
    InputError
        For a duration or latency that is not usable.
    """
    law = batch_per_layer or BatchPerLayer()
    check_finite("seconds", seconds, 1, 1e12, "seconds")
    check_finite("layer_seconds", layer_seconds, 1e-12, 1e3, "seconds")
    return _compute_limit(3 / 320 * (law.reference * seconds / layer_seconds) ** 2, law)


def layer_latency(cluster: Cluster) -> float:
    """Return what one matmul and its all-reduce cost at least: kernel latency and two hops a network level.

    ``t_lat = t_kernel + 2 * sum(l_k)``; on the reference machines that is the 9e-6 s of [1], which prints
    the sum only.

    Parameters
    ----------
    cluster : Cluster
        Every network level is crossed.

    Returns
    -------
    float
        Seconds.
    """
    return cluster.accelerator.kernel_latency + 2 * sum(level.latency for level in cluster.network.levels)


def parameter_limit(
    batch_tokens: float = 4e6,
    layers: float = 120,
    seconds: float = QUARTER_SECONDS,
    layer_seconds: float = PUBLISHED_LAYER_LATENCY,
    tokens_per_parameter: float = _TOKENS_PER_PARAMETER,
    synchronizations: float = _SYNCHRONIZATIONS,
) -> float:
    """Largest dense model that latency lets finish, the form of Epoch's article [2].

    A run takes ``tokens_per_parameter * N / B`` batches, each of which waits for ``synchronizations``
    all-reduces in a row in each of ``L`` layers, so ``N = t * B / (20 * 4 * L * t_lat)``.

    Parameters
    ----------
    batch_tokens : float
        ``B``: tokens a batch.
    layers : float
        ``L``.
    seconds : float
        Duration of the run ``t``.
    layer_seconds : float
        ``t_lat``: seconds of one matmul's fixed cost and its all-reduce.
    tokens_per_parameter : float
        Tokens of the run over parameters.
    synchronizations : float
        All-reduces in sequence a layer and batch: two matmuls, forward and backward.

    Returns
    -------
    float
        Parameters.

    Raises
    ------
    InputError
        For a figure that is not usable.
    """
    check_finite("batch_tokens", batch_tokens, 1, 1e15, "tokens")
    check_finite("layers", layers, 1, 1e6, "layers")
    check_finite("seconds", seconds, 1, 1e12, "seconds")
    check_finite("layer_seconds", layer_seconds, 1e-12, 1e3, "seconds")
    check_finite("tokens_per_parameter", tokens_per_parameter, 1e-3, 1e6, "tokens a parameter")
    check_finite("synchronizations", synchronizations, 1, 1e3, "all-reduces a layer")
    return seconds * batch_tokens / (tokens_per_parameter * synchronizations * layers * layer_seconds)


def dense_training_flop(parameters: float, tokens_per_parameter: float = _TOKENS_PER_PARAMETER) -> float:
    """Return the training compute of a dense model, ``C = 6 * tokens_per_parameter * N**2`` (FLOP).

    Parameters
    ----------
    parameters : float
        ``N``.
    tokens_per_parameter : float
        Tokens of the run over parameters.
    """
    return 6 * tokens_per_parameter * parameters**2


def _compute_limit(multiply_adds: float, law: BatchPerLayer) -> float:
    """Return FLOP from the multiply-adds that the limit has at ``alpha = 0``, for the law's own alpha."""
    return float(2 * multiply_adds ** (1 / (1 - 2 * law.alpha)))
