import os
import sys


def restart():
    os.execv(sys.executable, [sys.executable] + sys.argv)


def spawn(path, arguments):
    return os.spawnv(os.P_NOWAIT, path, arguments)
