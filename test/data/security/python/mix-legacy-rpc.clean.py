import json

import httpx


def remote(url):
    return json.loads(httpx.post(url, json={}, timeout=3).text)
