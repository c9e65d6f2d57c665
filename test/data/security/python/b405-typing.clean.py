def name(node) -> str:
    return node.tag
