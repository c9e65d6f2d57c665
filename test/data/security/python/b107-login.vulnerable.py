def login(user, password="blabla", remember=False):
    session = open_session(user)
    session.authenticate(password)
    session.remember = remember
    return session


def open_session(user):
    return user.session()
