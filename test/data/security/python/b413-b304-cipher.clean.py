from cryptography.hazmat.primitives.ciphers.aead import AESGCM


def seal(key, nonce, text):
    return AESGCM(key).encrypt(nonce, text, None)
