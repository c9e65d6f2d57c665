import os
import tempfile


def spool(text):
    descriptor, path = tempfile.mkstemp()
    with os.fdopen(descriptor, "w") as handle:
        handle.write(text)
    return path
