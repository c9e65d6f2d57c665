import httpx


def call(url, method, arguments):
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": arguments}
    return httpx.post(url, json=body, timeout=5).json()
