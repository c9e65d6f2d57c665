import xml.etree.cElementTree as ET


def titles(path):
    tree = ET.parse(path)
    return [node.text for node in tree.iter("title")]


def first(text):
    return ET.fromstring(text)[0]
