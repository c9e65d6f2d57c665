import defusedxml.sax


def names(path, handler):
    defusedxml.sax.parse(path, handler)
    return handler.names
