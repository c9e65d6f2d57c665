def load_settings(path):
    import xml.etree.ElementTree as tree

    parser = tree.XMLParser()
    document = tree.parse(
        path,
        parser=parser,
    )
    return document.getroot()
