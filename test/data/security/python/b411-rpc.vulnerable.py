import xmlrpclib


def call(url, method, arguments):
    server = xmlrpclib.ServerProxy(url)
    return getattr(server, method)(*arguments)
