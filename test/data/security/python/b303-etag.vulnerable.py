import hashlib


def etag(content):
    digest = hashlib.md5()
    digest.update(content)
    return digest.hexdigest()


def legacy(content):
    return hashlib.sha1(content).hexdigest()
