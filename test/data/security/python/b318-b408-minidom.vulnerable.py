from xml.dom import minidom
from xml.dom.minidom import parseString


def invoice(path, text):
    document = minidom.parse(path)
    total = document.getElementsByTagName("total")[0]
    other = parseString(text)
    return total.firstChild.data, other
