from defusedxml import minidom


def build(path, text):
    return minidom.parse(path), minidom.parseString(text)
