from cryptography.hazmat.backends import default_backend
from cryptography.hazmat.primitives import hashes


def fingerprint(data):
    digest = hashes.Hash(hashes.MD5(), backend=default_backend())
    digest.update(data)
    other = hashes.Hash(
        hashes.SHA1(),
        backend=default_backend(),
    )
    return digest.finalize(), other
