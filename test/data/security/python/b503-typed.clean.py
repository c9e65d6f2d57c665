import ssl as tls


def listen(port: int, protocol: int = tls.PROTOCOL_TLS_SERVER, backlog: int = 5):
    return port, protocol, backlog
