import json


def save(cache):
    with open("/tmp/cache.json", "w") as handle:
        json.dump(cache, handle)
