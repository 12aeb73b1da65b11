"""One batch in detail: a plan of your own, and the best plan that the search finds for the same run."""

import scalewall as sw

cluster = sw.load_machine("h100")
stack = sw.stack_for(12288, sw.Laws())  # the run that the laws make of GPT-3's width
mine = sw.Plan(  # a factor a network level: inside the node, between nodes
    dp=(1, 8),
    tp_model=(2, 1),
    tp_ff=(4, 1),
    pp=(1, 16),
    ep=(1, 1),
    microbatches=32,
    interleave=4,
    zero_bubble=False,
)
best = sw.find_plan(stack, cluster, run_seconds=7.9e6)

for name, found in (("my plan", sw.estimate_batch(stack, mine, cluster)), ("the best plan", best)):
    print(f"{name}: {found.terms.n_gpu:,.0f} accelerators, {found.utilization:.1%} of the peak, ", end="")
    print(f"{found.terms.total:.1f} s a batch, {found.run_seconds / 86400:.0f} days")
    for part, seconds in sorted(found.attributed_seconds.items(), key=lambda item: -item[1])[:4]:
        print(f"    {part:24}{seconds / found.terms.total:8.2%} of the time")
