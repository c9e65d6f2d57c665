from xml.dom import pulldom


def orders(stream):
    events = pulldom.parse(stream)
    for event, node in events:
        if event == pulldom.START_ELEMENT and node.tagName == "order":
            events.expandNode(node)
            yield node


def from_text(text):
    return pulldom.parseString(text)
