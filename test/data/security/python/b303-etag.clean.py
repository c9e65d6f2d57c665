import hashlib


def etag(content):
    digest = hashlib.sha256()
    digest.update(content)
    return digest.hexdigest()
