from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.ciphers.modes import GCM


def page_cipher(key, nonce):
    return Cipher(algorithms.AES(key), GCM(nonce))
