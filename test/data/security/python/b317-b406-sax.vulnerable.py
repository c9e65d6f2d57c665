import xml.sax
from xml import sax


class Handler(xml.sax.ContentHandler):
    def __init__(self):
        super().__init__()
        self.names = []

    def startElement(self, name, attrs):
        self.names.append(name)


def names(path, text):
    handler = Handler()
    xml.sax.parse(path, handler)
    sax.parseString(text, handler)
    parser = sax.make_parser()
    return handler.names, parser
