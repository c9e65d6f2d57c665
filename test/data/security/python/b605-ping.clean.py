import os
import socket


def ping(host):
    with socket.create_connection((host, 7), timeout=1):
        return True


def listing(folder):
    return os.listdir(folder)
