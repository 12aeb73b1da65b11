"""What is trained: the stack of the ideal model, the scaling laws that shape it, and the widths to sweep."""

from scalewall.workload.grid import FINE_ODD_MAX, REFERENCE_ODD_MAX, grid, nearest_stack
from scalewall.workload.laws import FAMILIES, Fitted, Law, list_laws
from scalewall.workload.lawset import Laws, stack_for
from scalewall.workload.options import OPTIONS, LawOption
from scalewall.workload.rounding import nearest_whole, reference_round
from scalewall.workload.stack import MlpStack

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
    "grid",
    "list_laws",
    "nearest_stack",
    "nearest_whole",
    "reference_round",
    "stack_for",
]
