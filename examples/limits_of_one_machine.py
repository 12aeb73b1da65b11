"""Where efficient scaling ends on one machine, the largest run that finishes, and what binds at each size."""

import scalewall as sw

limits = sw.limits("h100", months=3)

band = limits.linear_scaling
print(f"{limits.title}, the {limits.assumptions['search']['method']} search:")
print(f"  first run below {band.threshold:.0%} of sustained utilization: {band.first_failure_flop:.2e} FLOP")
print(f"  last run above it:                              {band.last_pass_flop:.2e} FLOP")
print(f"  largest run that finishes in time:              {limits.largest_feasible_flop:.2e} FLOP")

print("\n      FLOP  accelerators  utilization  binds")
for point in limits.points[::5]:
    print(f"  {point.training_flop:.2e}  {point.n_gpu:12.3g}  {point.utilization:11.1%}  {point.binds}")

table = limits.to_pandas()  # one run a row: model, cluster, plan, and where the time goes
print(f"\nThe same as a data frame: {len(table)} runs, {len(table.columns)} columns.")
