import ftplib
import hashlib
import os


class Sync:
    def __init__(self, host, user, passwd="anonymous@"):
        self.server = ftplib.FTP(host, user=user, passwd="guest")
        self.default = passwd

    def changed(self, name):
        lines = []
        self.server.retrlines("RETR " + name + ".md5", lines.append)
        with open(name, "rb") as handle:
            return hashlib.md5(handle.read()).hexdigest() != lines[0]

    def push(self, folder):
        for name in os.listdir(folder):
            if self.changed(name):
                os.popen("touch " + name)
