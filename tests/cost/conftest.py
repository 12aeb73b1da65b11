"""Property tests whose first example may compile a kernel: no deadline an example."""

from hypothesis import settings

settings.register_profile("kernels", deadline=None)
settings.load_profile("kernels")
