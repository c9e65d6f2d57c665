import defusedxml.sax


def reader():
    return defusedxml.sax.make_parser()
