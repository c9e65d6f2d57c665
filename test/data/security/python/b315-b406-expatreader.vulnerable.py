import xml.sax.expatreader


def reader():
    return xml.sax.expatreader.create_parser()
