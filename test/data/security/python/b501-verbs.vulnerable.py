from requests import put, delete


def replace(url, body):
    put(url, data=body, verify=False, timeout=2)
    return delete(url + "/old", timeout=2, verify=False)
