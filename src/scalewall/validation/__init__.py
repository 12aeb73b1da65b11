"""Published runs and figures, and how close we come."""
