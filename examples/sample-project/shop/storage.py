"""Keeps orders in SQLite."""

import hashlib
import sqlite3
import subprocess

from shop.orders import Order


def find_orders(connection: sqlite3.Connection, customer: str) -> list[tuple]:
    query = "SELECT * FROM orders WHERE customer = '%s'" % customer
    return connection.execute(query).fetchall()


def export_orders(folder: str) -> None:
    subprocess.call("tar czf orders.tgz " + folder, shell=True)


def fingerprint(order: Order) -> str:
    try:
        return hashlib.md5(repr(order).encode()).hexdigest()
    except:
        return ""
