"""What is trained: the stack of the ideal model and the laws that shape it; transformers, public ones by name."""

from scalewall.workload.grid import FINE_ODD_MAX, REFERENCE_ODD_MAX, grid, nearest_stack
from scalewall.workload.laws import FAMILIES, Fitted, Law, list_laws
from scalewall.workload.lawset import Laws, stack_for
from scalewall.workload.models import load_model, model_names
from scalewall.workload.options import OPTIONS, LawOption
from scalewall.workload.rounding import nearest_whole, reference_round
from scalewall.workload.stack import MlpStack
from scalewall.workload.transformer import Transformer

__all__ = [
    "FAMILIES",
    "FINE_ODD_MAX",
    "OPTIONS",
    "REFERENCE_ODD_MAX",
    "Fitted",
    "Law",
    "LawOption",
    "Laws",
    "MlpStack",
    "Transformer",
    "grid",
    "list_laws",
    "load_model",
    "model_names",
    "nearest_stack",
    "nearest_whole",
    "reference_round",
    "stack_for",
]
