from requests import put, delete


def replace(url, body):
    put(url, data=body, timeout=2)
    return delete(url + "/old", timeout=2)
