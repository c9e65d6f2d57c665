import json
import tempfile


def save(cache):
    with tempfile.NamedTemporaryFile("w", delete=False) as handle:
        json.dump(cache, handle)
        return handle.name
