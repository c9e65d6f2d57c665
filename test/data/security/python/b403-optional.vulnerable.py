try:
    import cPickle as pickle
except ImportError:
    import pickle

import dill as better


def pack(value):
    return pickle.dumps(value), better.dumps(value)
