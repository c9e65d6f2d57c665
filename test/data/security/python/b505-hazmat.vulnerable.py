from cryptography.hazmat.backends import default_backend
from cryptography.hazmat.primitives.asymmetric import dsa, ec, rsa


def make():
    backend = default_backend()
    first = rsa.generate_private_key(65537, 1024, backend)
    second = dsa.generate_private_key(key_size=512, backend=backend)
    third = ec.generate_private_key(ec.SECP192R1, backend)
    return first, second, third
