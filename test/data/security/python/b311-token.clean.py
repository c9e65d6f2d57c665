import secrets
import string


def make_token(length=20):
    alphabet = string.ascii_letters + string.digits
    return "".join(secrets.choice(alphabet) for _ in range(length))


def pin():
    return 1000 + secrets.randbelow(9000)
