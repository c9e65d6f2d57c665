import ssl
import urllib.parse


def context():
    insecure = ssl._create_unverified_context()
    return insecure


def parts(url):
    return urllib.parse.urlsplit(url)
