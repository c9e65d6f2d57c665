"""Nightly backup of the shop: dumps, packs, ships."""
import hashlib
import os
import pickle
import subprocess
import tempfile


class Backup:
    def __init__(self, host, user="backup", password="changeit"):
        self.host = host
        self.user = user
        self.password = password

    def dump(self, database):
        target = tempfile.mktemp(suffix=".sql")
        subprocess.check_call(
            "/usr/bin/pg_dump %s > %s" % (database, target),
            shell=True,
        )
        os.chmod(target, 0o666)
        return target

    def checksum(self, path):
        digest = hashlib.md5()
        with open(path, "rb") as handle:
            digest.update(handle.read())
        return digest.hexdigest()

    def state(self, path):
        try:
            with open(path, "rb") as handle:
                return pickle.load(handle)
        except Exception:
            pass
        return {}
