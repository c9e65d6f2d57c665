from lxml import etree
from mako.template import Template
import random
import tempfile


def report(path, values):
    tree = etree.parse(path)
    page = Template("<h1>${title}</h1>").render(title=tree.findtext("title"))
    name = tempfile.mktemp(prefix="report%d" % random.randrange(100))
    with open(name, "w") as handle:
        handle.write(page)
    return name
