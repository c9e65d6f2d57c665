import json


class Channel:
    def receive(self, packet):
        kind, body = packet[:1], packet[1:]
        return kind, json.loads(body)
