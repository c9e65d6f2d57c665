import subprocess  # nosec
import pickle


def version():
    return subprocess.check_output(["/usr/bin/git", "--version"])  # nosec


def load(blob):
    first = pickle.loads(blob)  # nosec
    second = pickle.loads(blob)
    return first, second
