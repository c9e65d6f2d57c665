import psycopg2


def connect(host):
    return psycopg2.connect(
        host=host,
        user="app",
        password="not-the-real-one",
    )
