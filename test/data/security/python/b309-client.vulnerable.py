import http.client
import json


def status(host):
    connection = http.client.HTTPSConnection(host, timeout=5)
    connection.request("GET", "/status")
    return json.loads(connection.getresponse().read())
