"""What the compiled kernels promise their callers in Python."""

from __future__ import annotations

import subprocess
import sys

STORM = """
import _thread, signal, sys, threading, time
import numpy as np
from scalewall.ideal.tables import degree_table

candidates, sizes = np.arange(1, 65), np.array([8, 8, 8])
degree_table(candidates, 1, 64, sizes, 3)
sys.setswitchinterval(1e-5)
end = time.monotonic() + 1.5
caught, armed = 0, False

def strike(number, frame):
    global armed
    if armed:
        armed = False
        raise KeyboardInterrupt

def storm():
    while time.monotonic() < end:
        time.sleep(0.0003)
        _thread.interrupt_main()

signal.signal(signal.SIGINT, strike)
threading.Thread(target=storm).start()
while time.monotonic() < end:
    try:
        armed = True
        for _ in range(1000):
            degree_table(candidates, 1, 64, sizes, 3)
        armed = False
    except KeyboardInterrupt:
        caught += 1
print(caught)
"""


def test_ctrl_c_never_strikes_while_a_kernel_hands_over_its_result() -> None:
    done = subprocess.run([sys.executable, "-c", STORM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 10
