import importlib


def codec(name):
    if name == "pickle":
        return __import__("pickle")
    return importlib.import_module("dill")
