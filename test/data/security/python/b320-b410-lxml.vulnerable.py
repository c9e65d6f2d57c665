import lxml.etree
from lxml import etree


def links(text, path):
    root = etree.fromstring(text)
    tree = lxml.etree.parse(path)
    parser = etree.getDefaultParser()
    return root.findall("a"), tree, parser
