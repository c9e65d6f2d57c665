from cryptography.hazmat.primitives.ciphers import modes


def choose(name, iv):
    if name == "ctr":
        return modes.CTR(iv)
    return modes.GCM(iv)
