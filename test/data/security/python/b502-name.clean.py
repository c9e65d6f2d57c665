from ssl import create_default_context


def modern(sock, host):
    return create_default_context().wrap_socket(sock, server_hostname=host)
