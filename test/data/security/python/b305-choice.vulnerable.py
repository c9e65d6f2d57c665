from cryptography.hazmat.primitives.ciphers import modes


def choose(name, iv):
    if name == "ecb":
        return modes.ECB()
    return modes.CBC(iv)
