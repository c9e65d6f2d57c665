import random
import string


def make_token(length=20):
    alphabet = string.ascii_letters + string.digits
    return "".join(random.choice(alphabet) for _ in range(length))


def pin():
    return random.randint(1000, 9999)
