import json
import os


def freeze(value, path):
    with open(path, "w") as handle:
        json.dump(value, handle)
    return os.path.getsize(path)
