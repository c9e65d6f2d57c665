import os
import pickle
from pickle import dumps


def freeze(value, path):
    with open(path, "wb") as handle:
        handle.write(dumps(value))
    return os.path.getsize(path), pickle.HIGHEST_PROTOCOL
