import time


def uptime():
    return time.monotonic()
