"""The simulator in the browser: pages over the same results that the command line prints."""
