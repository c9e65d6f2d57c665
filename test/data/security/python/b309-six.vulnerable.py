from six.moves import http_client
from http.client import HTTPSConnection as Secure


def open_both(host):
    first = http_client.HTTPSConnection(host)
    second = Secure(host)
    return first, second
