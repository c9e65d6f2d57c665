import logging
import ssl
import urllib.request
import xml.etree.ElementTree as ET
from xml.dom import minidom

log = logging.getLogger(__name__)


def fetch(url):
    context = ssl._create_unverified_context()
    with urllib.request.urlopen(url, context=context) as response:
        return response.read()


def entries(url):
    root = ET.fromstring(fetch(url))
    for item in root.iter("item"):
        yield item.findtext("title"), item.findtext("link")


def pretty(text):
    return minidom.parseString(text).toprettyxml()
