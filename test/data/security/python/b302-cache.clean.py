import json


def read_table(path):
    with open(path) as handle:
        return json.load(handle)


def decode(blob):
    return json.loads(blob)
