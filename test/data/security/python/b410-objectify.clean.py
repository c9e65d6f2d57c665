import html


def version():
    return html.escape("1 < 2")
