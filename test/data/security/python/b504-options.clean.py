import ssl as secure


def upgrade(sock, certificate):
    context = secure.SSLContext(secure.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context.wrap_socket(sock, server_side=True)
