from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key


def pair():
    return generate_private_key(
        public_exponent=65537,
        key_size=3072,
    )
