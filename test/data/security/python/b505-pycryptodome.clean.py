from Cryptodome.PublicKey import RSA


def rotate(store):
    store["rsa"] = RSA.generate(bits=4096)
