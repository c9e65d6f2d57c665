from defusedxml import ElementTree


def links(text):
    return ElementTree.fromstring(text).findall("a")
