import logging

import defusedxml.ElementTree as ET
import httpx

log = logging.getLogger(__name__)


def fetch(url):
    return httpx.get(url, timeout=5).content


def entries(url):
    root = ET.fromstring(fetch(url))
    for item in root.iter("item"):
        yield item.findtext("title"), item.findtext("link")
