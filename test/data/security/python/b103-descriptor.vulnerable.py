import os


class Journal:
    def __init__(self, path):
        self.fd = os.open(path, os.O_CREAT | os.O_WRONLY)
        os.fchmod(self.fd, 0o622)

    def lchmod(self, path):
        os.lchmod(path, 511)
