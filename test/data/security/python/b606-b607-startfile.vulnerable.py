import os
from os import execlp


def show(path):
    os.startfile(path)


def edit(path):
    execlp("vi", "vi", path)


def page(path, environment):
    os.spawnle(os.P_WAIT, "/usr/bin/less", "less", path, environment)
