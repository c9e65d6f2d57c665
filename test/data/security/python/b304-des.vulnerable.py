from Cryptodome.Cipher import DES, ARC4


def encrypt(key, text):
    cipher = DES.new(key, DES.MODE_CBC)
    stream = ARC4.new(key)
    return stream.encrypt(cipher.encrypt(text))
