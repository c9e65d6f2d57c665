import ssl


def contexts(make):
    return make(ssl_version=ssl.PROTOCOL_TLS_CLIENT)
