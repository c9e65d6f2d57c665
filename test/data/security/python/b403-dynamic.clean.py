import json


def codec(name):
    return {"json": json}[name]
