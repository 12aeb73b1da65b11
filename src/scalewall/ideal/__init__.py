"""The ideal model: how far can a training run scale on given hardware, and what stops it."""
