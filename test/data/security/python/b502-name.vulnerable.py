from ssl import PROTOCOL_SSLv2, wrap_socket


def legacy(sock):
    return wrap_socket(
        sock,
        ssl_version=PROTOCOL_SSLv2,
        do_handshake_on_connect=False,
    )
