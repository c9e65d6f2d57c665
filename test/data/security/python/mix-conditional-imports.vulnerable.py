import sys

if sys.version_info[0] == 2:
    import cPickle as pickle
    from urllib2 import urlopen
    import xmlrpclib
else:
    import pickle
    from urllib.request import urlopen
    import xmlrpc.client as xmlrpclib


def load(url):
    return pickle.load(urlopen(url))
