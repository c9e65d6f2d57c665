from Crypto.PublicKey import RSA, DSA


def keys():
    weak = RSA.generate(1024)
    weaker = DSA.generate(bits=512)
    good = RSA.generate(4096)
    return weak, weaker, good
