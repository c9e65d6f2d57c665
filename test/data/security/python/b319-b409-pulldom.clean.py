from defusedxml import pulldom


def orders(stream):
    return pulldom.parse(stream)
