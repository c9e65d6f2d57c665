import Crypto.Util.number
from Crypto import Random
from Crypto.Protocol.KDF import PBKDF2


def derive(text, salt):
    Random.atfork()
    return PBKDF2(text, salt), Crypto.Util.number.getPrime(8)
