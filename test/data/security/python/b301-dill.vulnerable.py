import dill
import cPickle as cp


def thaw(blob, handle):
    function = dill.loads(blob)
    state = cp.load(handle)
    return function(state)
