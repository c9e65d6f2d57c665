def read_config(path):
    config = {}
    try:
        with open(path) as handle:
            for line in handle:
                key, value = line.split("=", 1)
                config[key] = value
    except FileNotFoundError:
        return {}
    return config
