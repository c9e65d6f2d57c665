from lxml import objectify, html
import lxml


def version():
    return lxml.__version__, objectify, html
