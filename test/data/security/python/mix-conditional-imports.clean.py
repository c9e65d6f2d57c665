import json

import httpx


def load(url):
    return json.loads(httpx.get(url, timeout=5).text)
