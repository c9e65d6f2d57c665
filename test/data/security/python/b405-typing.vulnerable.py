from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


def name(node: "Element") -> str:
    return node.tag
