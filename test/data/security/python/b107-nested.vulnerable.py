def factory(settings):
    def connect(host, db_pwd="fake", port=5432):
        return settings.driver(host, db_pwd, port)

    return connect
