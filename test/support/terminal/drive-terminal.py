"""Runs a program at a pseudo-terminal and types what a scenario says.

Reads JSON from standard input: {"argv": [...], "cwd": "...", "env": {...}, "limitS": 40,
"steps": [{"see": "text"} | {"type": "text"} | {"signal": "SIGTERM"}, ...]}.
A "see" waits until the text has appeared after what the steps before it saw.
Prints {"screen": all that the program wrote, "exitCode": ..., "missed": the text that never came, or null}.
"""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time


def main():
    scenario = json.load(sys.stdin)
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(scenario["cwd"])
        os.execve(scenario["argv"][0], scenario["argv"], scenario["env"])
    size = struct.pack("HHHH", 40, 100, 0, 0)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
    ends_at = time.monotonic() + scenario.get("limitS", 40)
    screen = b""
    seen = 0
    missed = None
    is_open = True

    def read_some():
        nonlocal screen, is_open
        ready, _, _ = select.select([terminal], [], [], 0.05)
        if not ready:
            return
        try:
            data = os.read(terminal, 65536)
        except OSError:
            data = b""
        is_open = data != b""
        screen += data

    for step in scenario["steps"]:
        if "see" in step:
            wanted = step["see"].encode()
            while (at := screen.find(wanted, seen)) < 0 and is_open and time.monotonic() < ends_at:
                read_some()
            if at < 0:
                missed = step["see"]
                break
            seen = at + len(wanted)
        elif "type" in step:
            os.write(terminal, step["type"].encode())
        else:
            os.kill(pid, getattr(signal, step["signal"]))
    if missed is not None:
        os.kill(pid, signal.SIGKILL)
    while is_open and time.monotonic() < ends_at:
        read_some()
    if is_open:
        missed = missed or "the end of the program"
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    print(json.dumps({
        "screen": screen.decode(errors="replace"),
        "exitCode": os.waitstatus_to_exitcode(status),
        "missed": missed,
    }))


main()
