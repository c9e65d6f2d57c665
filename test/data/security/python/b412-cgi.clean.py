from wsgiref.simple_server import make_server


def application(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"hello"]


make_server("127.0.0.1", 8000, application).serve_forever()
