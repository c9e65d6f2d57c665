from Cryptodome.Cipher import ChaCha20_Poly1305


def wrap(key, blocks):
    return [ChaCha20_Poly1305.new(key=key).encrypt(b) for b in blocks]
