from defusedxml import minidom


def invoice(path):
    document = minidom.parse(path)
    total = document.getElementsByTagName("total")[0]
    return total.firstChild.data
