import hashlib as h


def key(text):
    return h.new(
        "MD5",
        text,
    ).digest()
