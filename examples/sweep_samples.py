"""A sweep from Python: what an uncertain network and kernel latency leave of one run, on two machines."""

from pathlib import Path
from tempfile import TemporaryDirectory

from scalewall.study import Results, run_sweep, sweep_of

sweep = sweep_of(
    {
        "fixed": {"search": "reference", "flop": 1e28},
        "axes": {"machine": ["h100", "b200"]},
        "samples": {
            "count": 40,
            "seed": 1,
            "network.1.bandwidth": {"distribution": "log-uniform", "from": 25e9, "to": 200e9},
            "accelerator.kernel_latency": {"distribution": "log-normal", "median": 4.5e-6, "factor": 1.5},
        },
        "outputs": {"kind": "run", "columns": ["utilization", "n_gpu", "binds"]},
    }
)

with TemporaryDirectory() as folder:
    end = run_sweep(sweep, Path(folder) / "results")
    rows = Results.open(Path(folder) / "results").to_pandas()

print(f"{end.done} points, {end.failed} failed")
for machine, found in rows.groupby("machine", sort=False):
    low, middle, high = found["utilization"].quantile([0.05, 0.5, 0.95])
    print(f"{machine}: utilization {middle:.1%}, 90 % of the worlds from {low:.1%} to {high:.1%}")
    print(f"  most often binds: {found['binds'].mode()[0].replace('_', ' ')}")
