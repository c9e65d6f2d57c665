import ssl
from OpenSSL import SSL


def open_channel(host, version=ssl.PROTOCOL_SSLv2):
    return host, version


class Listener:
    def start(self, port, method=SSL.SSLv3_METHOD):
        return port, method
