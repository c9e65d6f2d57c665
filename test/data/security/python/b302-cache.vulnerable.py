import marshal


def read_code(path):
    with open(path, "rb") as handle:
        handle.read(16)
        return marshal.load(handle)


def decode(blob):
    return marshal.loads(blob)
