import socket
import ssl


class Server:
    def __init__(self, port, protocol=ssl.PROTOCOL_TLSv1):
        self.port = port
        self.protocol = protocol

    def accept(self):
        raw, address = self.listener.accept()
        return ssl.wrap_socket(
            raw,
            server_side=True,
            certfile="server.pem",
            ssl_version=ssl.PROTOCOL_TLSv1,
        )

    def dial(self, host):
        return ssl.wrap_socket(socket.create_connection((host, self.port)))
