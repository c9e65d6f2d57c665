import socket
import ssl


def connect(host):
    raw = socket.create_connection((host, 443))
    return ssl.wrap_socket(raw, ssl_version=ssl.PROTOCOL_SSLv3)
