"""The limit rests on scaling laws as much as on hardware: dense and sparse models under several laws."""

import scalewall as sw

OWN_BATCH = {"batch_anchor_tokens": 4e6, "batch_anchor_flop": 3e23, "batch_exponent": 0.25}
MIXES = {
    "the published laws": {},
    "depth exponent 0.3351, as refitted": {"depth_law": "refit"},
    "a fixed batch of 4 Mi tokens": {"batch_law": "fixed"},
    "the batch law of Zhang et al.": {"batch_law": "zhang"},
    "a batch law of your own": {"batch_law": "power", **OWN_BATCH},
    "sparse, experts by the published law": {"model": "sparse"},
    "sparse, 8 experts, batch of Zhang et al.": {"model": "sparse", "sparsity": 8, "batch_law": "zhang"},
}

print(f"{'ref-h100, published search':44}{'falls below 80 % at':>20}")
for name, mix in MIXES.items():
    limits = sw.limits("ref-h100", reference=True, **mix)
    first = limits.linear_scaling.first_failure_flop
    print(f"{name:44}{f'{first:.2e} FLOP' if first else 'not on this grid':>20}")

print("\nAll laws, with formulas and sources: scalewall laws list")
