from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


def build(key, iv):
    fish = Cipher(algorithms.Blowfish(key), modes.CBC(iv))
    rc4 = Cipher(algorithms.ARC4(key), mode=None)
    idea = Cipher(
        algorithms.IDEA(key),
        modes.CBC(iv),
    )
    return fish, rc4, idea
