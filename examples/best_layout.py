"""The best layouts of a run, what they trade, and how many accelerators it takes to finish in time."""

import scalewall as sw

result = sw.plan("llama3-8b", "h100", 64, 256, 8192, tokens=1e12, top=3)
for plan in result.plans:
    layout, estimate = plan.layout, plan.estimate
    degrees = f"TP {layout.tp} PP {layout.pp} DP {layout.dp} microbatch {layout.microbatch}"
    print(f"{plan.rank}. {degrees}, sharded: {layout.sharding}, again: {layout.recompute}")
    used = estimate.fit.needed / 1e9
    print(f"   {plan.seconds:.2f} s a step, MFU {100 * estimate.mfu:.0f} %, {used:.0f} GB")
leanest = result.front[-1]
print(f"The leanest takes {leanest.seconds:.2f} s and {leanest.memory_bytes / 1e9:.0f} GB.")
left_out = result.excluded[0]
print(f"{result.evaluated} layouts evaluated. Left out, for one:")
print(f"{left_out.region} ({left_out.reason}).")

choice = sw.recommend("llama3-8b", "h100", 256, 8192, tokens=1e12, days=30).chosen
assert choice is not None
print(f"{choice.ranks} accelerators finish a trillion tokens in {choice.seconds / 86400:.0f} days.")
