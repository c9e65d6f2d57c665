import functools


def retried(count):
    def wrap(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            last = None
            for _ in range(count):
                try:
                    return function(*args, **kwargs)
                except OSError as error:
                    last = error
            raise last

        return inner

    return wrap


@retried(3)
def notify(user, sender):
    return sender.send(user)
