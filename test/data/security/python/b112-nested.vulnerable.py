def index(folders):
    table = {}
    for folder in folders:
        for name in folder.names():
            try:
                table[name] = folder.read(name)
            except Exception as problem:
                continue
    return table
