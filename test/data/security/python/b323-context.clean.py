import ssl
import urllib.parse


def context():
    return ssl.create_default_context()


def parts(url):
    return urllib.parse.urlsplit(url)
