import json


def load(blob):
    return json.loads(blob)
