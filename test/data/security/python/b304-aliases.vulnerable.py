import Cryptodome.Cipher.Blowfish
from Cryptodome.Cipher import ARC2 as Old, XOR


def wrap(key, blocks):
    old = Old.new(key)
    xor = XOR.new(key)
    fish = Cryptodome.Cipher.Blowfish.new(key)
    return [xor.encrypt(old.encrypt(fish.encrypt(b))) for b in blocks]
