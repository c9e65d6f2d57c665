import json


def restore(path):
    with open(path) as handle:
        model = json.load(handle)
    return model
