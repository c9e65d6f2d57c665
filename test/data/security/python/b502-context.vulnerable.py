from OpenSSL import SSL
import ssl


def contexts(make):
    old = SSL.Context(
        method=SSL.SSLv23_METHOD,
    )
    older = make(ssl_version=ssl.PROTOCOL_TLSv1)
    return old, older
