import ssl as secure


def upgrade(sock, certificate):
    return secure.wrap_socket(
        sock,
        certfile=certificate,
        server_side=True,
    )
