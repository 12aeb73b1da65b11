"""What would move the limit of an H100 cluster most? Change one figure of the machine at a time."""

import scalewall as sw

SEARCH = {"search": "reference", "grid": (15, 12288, 300_000)}  # the published search: fast, for a comparison
CHANGES = {
    "as it is": {},
    "node of 72": {"network.0.size": 72},
    "twice the NVLink": {"network.0.bandwidth": 900e9},
    "twice the InfiniBand": {"network.1.bandwidth": 100e9},
    "twice the HBM bandwidth": {"memory.0.bandwidth": 6.7e12},
    "a tenth of the kernel latency": {"accelerator.kernel_latency": 0.3e-6},
    "a tenth of the network latency": {"network.0.latency": 0.1125e-6, "network.1.latency": 0.1125e-6},
}

print(f"{'H100':32}{'falls below 80 % at':>20}{'largest run':>14}")
for name, overrides in CHANGES.items():
    limits = sw.limits("h100", overrides=overrides, **SEARCH)
    first = limits.linear_scaling.first_failure_flop
    print(f"{name:32}{first:20.2e}{limits.largest_feasible_flop:14.2e}")
