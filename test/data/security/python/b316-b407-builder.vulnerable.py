from xml.dom import expatbuilder
import xml.dom.expatbuilder


def build(path, text):
    first = expatbuilder.parse(path)
    second = xml.dom.expatbuilder.parseString(text)
    return first, second
