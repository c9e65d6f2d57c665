import hmac
import os

DATABASE_HOST = "db.internal"
DATABASE_LOGIN = os.environ.get("DATABASE_LOGIN")


def check(given, expected):
    return hmac.compare_digest(given, expected)
