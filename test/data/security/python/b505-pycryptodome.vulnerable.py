from Cryptodome.PublicKey import DSA, RSA


def rotate(store):
    store["rsa"] = RSA.generate(bits=1024)
    store["dsa"] = DSA.generate(1024)
