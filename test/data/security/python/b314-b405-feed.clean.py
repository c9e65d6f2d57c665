from defusedxml import ElementTree


class Feed:
    def __init__(self, text):
        self.root = ElementTree.fromstring(text)

    def entries(self, stream):
        for _, node in ElementTree.iterparse(stream):
            if node.tag == "entry":
                yield node
