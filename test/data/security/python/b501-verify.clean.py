import requests


def health(hosts):
    result = {}
    for host in hosts:
        response = requests.get("https://" + host, verify=True, timeout=5)
        result[host] = response.status_code
    return result
