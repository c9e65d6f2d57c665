def factory(settings):
    def connect(host, port=5432):
        return settings.driver(host, settings.credentials, port)

    return connect
