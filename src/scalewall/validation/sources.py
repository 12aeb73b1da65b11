"""Where the claims come from."""

from __future__ import annotations

from scalewall.validation.claim import Source

__all__ = ["ARTICLE", "GPT_3", "HERE", "PAPER", "PROGRAM", "SIMULATOR", "SOURCES"]

PAPER = Source(
    "paper",
    'E. Erdil and D. Schneider-Joseph, "Data movement limits to frontier model training", arXiv 2411.01137 (2024)',
)
ARTICLE = Source(
    "article",
    'Epoch AI, "Data movement bottlenecks to large-scale model training: scaling past 1e28 FLOP" (2024)',
)
PROGRAM = Source("program", "what the public program of the paper's authors prints, version of October 2024")
SIMULATOR = Source("simulator", "Epoch AI's post on its distributed training simulator (2024)")
GPT_3 = Source("GPT-3", 'T. Brown et al., "Language models are few-shot learners", arXiv 2005.14165 (2020)')
HERE = Source("here", "computed here, with nothing published to compare it with")

SOURCES = (PAPER, ARTICLE, PROGRAM, SIMULATOR, GPT_3, HERE)
"""In the order in which a reader meets them."""
