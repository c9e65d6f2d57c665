def load_settings(path):
    import defusedxml.ElementTree as tree

    return tree.parse(path).getroot()
