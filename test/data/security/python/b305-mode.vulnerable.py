from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.ciphers.modes import ECB


def page_cipher(key):
    return Cipher(algorithms.AES(key), ECB())
