try:
    import orjson as codec
except ImportError:
    import json as codec


def pack(value):
    return codec.dumps(value)
