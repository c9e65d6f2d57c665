from Cryptodome.Hash import MD5, SHA as Sha
from Cryptodome.Hash import MD4


def sums(data):
    return [
        MD5.new(data).hexdigest(),
        Sha.new(data).hexdigest(),
        MD4.new(data).hexdigest(),
    ]
