import flask


def start(port):
    application = flask.Flask("shop")
    application.run(
        host="127.0.0.1",
        port=port,
    )
