import os

import psycopg2


def connect(host):
    return psycopg2.connect(
        host=host,
        user="app",
        password=os.environ["DB_PASSWORD"],
    )
