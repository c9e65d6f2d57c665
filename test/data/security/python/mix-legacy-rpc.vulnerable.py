import importlib
import xmlrpclib
import httplib


def remote(url):
    pickle = importlib.import_module("pickle")
    server = xmlrpclib.ServerProxy(url)
    probe = httplib.HTTPSConnection("rpc.test")
    return pickle, server, probe
