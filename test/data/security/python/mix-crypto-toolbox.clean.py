from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
import hashlib


class Toolbox:
    def blocks(self, key, nonce):
        return Cipher(algorithms.AES(key), modes.GCM(nonce)).encryptor()

    def key(self):
        return rsa.generate_private_key(public_exponent=65537, key_size=4096)

    def digest(self, data):
        strong = hashes.Hash(hashes.SHA256())
        strong.update(data)
        return strong.finalize() + hashlib.new("sha512", data).digest()
