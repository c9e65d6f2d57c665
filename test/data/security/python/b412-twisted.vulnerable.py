import wsgiref.handlers
from twisted.web.twcgi import CGIScript, CGIDirectory


def resource(path):
    wsgiref.handlers.CGIHandler()
    return CGIDirectory(path), CGIScript(path)
