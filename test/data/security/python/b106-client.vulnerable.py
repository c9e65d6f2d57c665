from api import Client, Session


def build(url):
    client = Client(url, auth_token="abc-def", retries=3)
    session = Session(client, user_secret="s3", timeout=4)
    return client, session
