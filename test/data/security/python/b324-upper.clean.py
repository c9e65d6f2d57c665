import hashlib as h


def key(text):
    return h.new("sha512", text).digest()
