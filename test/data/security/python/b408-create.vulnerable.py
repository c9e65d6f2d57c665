import xml.dom.minidom


def create(names):
    document = xml.dom.minidom.Document()
    for name in names:
        document.appendChild(document.createElement(name))
    return document.toxml()
