import socket
import ssl


def connect(host):
    raw = socket.create_connection((host, 443))
    context = ssl.create_default_context()
    return context.wrap_socket(raw, server_hostname=host)
