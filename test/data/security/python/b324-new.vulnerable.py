import hashlib


def checksum(path, algorithm="sha256"):
    digest = hashlib.new("md5")
    with open(path, "rb") as handle:
        for block in iter(lambda: handle.read(65536), b""):
            digest.update(block)
    other = hashlib.new(name="MD4", data=b"")
    return digest.hexdigest(), other
