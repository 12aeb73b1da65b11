"""Pipeline schedules exactly: schedules as data, an event simulation of one step, and what comes of it.

The closed forms in ``scalewall.cost.schedules`` rank; this package decides. A schedule (``build_schedule``,
or ``load_schedule`` from a file) meets costs (``stage_costs``, ``layer_costs``) in ``simulate``.
"""

from scalewall.cost.pipeline.catalogue import SCHEDULES, build_schedule, placement_of
from scalewall.cost.pipeline.check import check_operations
from scalewall.cost.pipeline.classic import split_backward
from scalewall.cost.pipeline.costs import Costs, Work, layer_costs, spread_layers, stage_costs
from scalewall.cost.pipeline.critical import Segment, critical_path, lower_bounds, path_seconds
from scalewall.cost.pipeline.files import load_schedule, schedule_from_data, schedule_to_data
from scalewall.cost.pipeline.memory import in_flight, in_flight_over_time, memory_over_time, peak_bytes
from scalewall.cost.pipeline.placement import Placement
from scalewall.cost.pipeline.schedule import KINDS, Schedule
from scalewall.cost.pipeline.search import search_zero_bubble
from scalewall.cost.pipeline.sends import Sends, free_sends, network_sends
from scalewall.cost.pipeline.simulate import PipelineRun, communication_seconds, simulate

__all__ = [
    "KINDS",
    "SCHEDULES",
    "Costs",
    "PipelineRun",
    "Placement",
    "Schedule",
    "Segment",
    "Sends",
    "Work",
    "build_schedule",
    "check_operations",
    "communication_seconds",
    "critical_path",
    "free_sends",
    "in_flight",
    "in_flight_over_time",
    "layer_costs",
    "load_schedule",
    "lower_bounds",
    "memory_over_time",
    "network_sends",
    "path_seconds",
    "peak_bytes",
    "placement_of",
    "schedule_from_data",
    "schedule_to_data",
    "search_zero_bubble",
    "simulate",
    "split_backward",
    "spread_layers",
    "stage_costs",
]
