from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


def build(key, iv):
    return Cipher(algorithms.AES(key), modes.GCM(iv))
