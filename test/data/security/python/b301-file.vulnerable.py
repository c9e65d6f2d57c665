from pickle import load as read, Unpickler


def restore(path):
    with open(path, "rb") as handle:
        model = read(handle)
        rest = Unpickler(handle).load()
    return model, rest
