import json

FUNCTIONS = {"sum": sum, "len": len}


def thaw(blob):
    call = json.loads(blob)
    return FUNCTIONS[call["function"]](call["state"])
