from Cryptodome.Cipher import AES


def encrypt(key, text):
    cipher = AES.new(key, AES.MODE_GCM)
    return cipher.encrypt_and_digest(text)
