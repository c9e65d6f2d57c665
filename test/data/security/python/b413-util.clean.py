import hashlib


def derive(text, salt):
    return hashlib.scrypt(text, salt=salt, n=16384, r=8, p=1)
