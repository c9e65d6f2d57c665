class Runner:
    def __init__(self):
        from subprocess import PIPE, DEVNULL

        self.pipes = (PIPE, DEVNULL)

    def other(self):
        import os, subprocess

        return os, subprocess
