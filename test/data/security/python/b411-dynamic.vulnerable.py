import importlib


def rpc():
    module = importlib.import_module("xmlrpclib")
    return module.ServerProxy
