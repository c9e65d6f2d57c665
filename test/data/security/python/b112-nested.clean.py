def index(folders, log):
    table = {}
    for folder in folders:
        for name in folder.names():
            try:
                table[name] = folder.read(name)
            except KeyError as problem:
                log.info("no %s: %s", name, problem)
    return table
