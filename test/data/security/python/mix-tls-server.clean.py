import socket
import ssl


class Server:
    def __init__(self, port, context=None):
        self.port = port
        self.context = context or ssl.create_default_context()

    def accept(self):
        raw, address = self.listener.accept()
        return self.context.wrap_socket(raw, server_side=True)

    def dial(self, host):
        return self.context.wrap_socket(
            socket.create_connection((host, self.port)), server_hostname=host
        )
