import hashlib
import pickle
from random import randint as dice


def table(blobs, names):
    values = {name: pickle.loads(blob) for name, blob in zip(names, blobs)}
    sums = [hashlib.sha1(blob).hexdigest() for blob in blobs]
    rolls = {dice(1, 6) for _ in names}
    check = lambda text: eval(text)
    return values, sums, rolls, check
