from Crypto.Cipher import ARC4
from Crypto.PublicKey import RSA
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
import hashlib


class Toolbox:
    def stream(self, key):
        return ARC4.new(key)

    def blocks(self, key):
        return Cipher(algorithms.AES(key), modes.ECB()).encryptor()

    def key(self):
        return RSA.generate(512)

    def digest(self, data):
        weak = hashes.Hash(hashes.SHA1())
        weak.update(data)
        return weak.finalize() + hashlib.new("md5", data).digest()
