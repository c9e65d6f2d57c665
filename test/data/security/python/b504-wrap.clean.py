import socket
import ssl


class Client:
    def connect(self, host, port):
        self.raw = socket.create_connection((host, port))
        self.sock = ssl.create_default_context().wrap_socket(self.raw, server_hostname=host)
        return self
