import ssl as tls


def listen(port: int, protocol: int = tls.PROTOCOL_TLSv1, backlog: int = 5):
    return port, protocol, backlog
