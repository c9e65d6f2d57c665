from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.asymmetric import ec


def pair():
    key = generate_private_key(
        public_exponent=65537,
        key_size=1536,
    )
    curve = ec.generate_private_key(curve=ec.SECT163K1)
    return key, curve
