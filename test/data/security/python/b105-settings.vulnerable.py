DATABASE_HOST = "db.internal"
DATABASE_PASSWORD = "not-the-real-one"


def check(password):
    if password == "letmein":
        return True
    return False
