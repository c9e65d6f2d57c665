import os


class Journal:
    def __init__(self, path):
        self.fd = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
        os.fchmod(self.fd, 0o600)
