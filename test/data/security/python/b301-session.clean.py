import json


class SessionStore:
    def __init__(self, backend):
        self.backend = backend

    def load(self, key):
        raw = self.backend.get(key)
        if raw is None:
            return {}
        return json.loads(raw)
