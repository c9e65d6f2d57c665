import json

import httpx


def status(host):
    return json.loads(httpx.get(f"https://{host}/status", timeout=5).text)
