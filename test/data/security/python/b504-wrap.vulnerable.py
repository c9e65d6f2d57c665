import socket
import ssl


class Client:
    def connect(self, host, port):
        self.raw = socket.create_connection((host, port))
        self.sock = ssl.wrap_socket(self.raw)
        return self
