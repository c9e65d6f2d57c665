from Crypto.Cipher import DES3, DES
from Crypto.Hash import SHA256, MD5


def seal(key, text):
    box = DES.new(key)
    return DES3.new(key), box.encrypt(text), MD5.new(text), SHA256.new(text)
