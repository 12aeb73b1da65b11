"""Public models by name, with the source of every figure."""

from scalewall.workload.models.agreement import Agreement, agreements
from scalewall.workload.models.catalogue import load_model, model_names, read_model
from scalewall.workload.models.published import ModelEntry, PublishedCount

__all__ = [
    "Agreement",
    "ModelEntry",
    "PublishedCount",
    "agreements",
    "load_model",
    "model_names",
    "read_model",
]
