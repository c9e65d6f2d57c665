from api import Client, Session


def build(url, settings):
    client = Client(url, auth_token=settings.token, retries=3)
    session = Session(client, user_secret=settings.secret, timeout=4)
    return client, session
