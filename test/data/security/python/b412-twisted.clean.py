from twisted.web.static import File


def resource(path):
    return File(path)
