def load_plugin(path, context):
    with open(path) as handle:
        source = handle.read()
    namespace = dict(context)
    exec(source, namespace)
    return namespace.get("register")
