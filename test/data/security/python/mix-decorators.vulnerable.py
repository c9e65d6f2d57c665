import functools
import subprocess


def retried(count):
    def wrap(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            for _ in range(count):
                try:
                    return function(*args, **kwargs)
                except Exception:
                    continue
            assert False, "unreachable"

        return inner

    return wrap


@retried(3)
def notify(user, api_token="none-yet"):
    return subprocess.check_output(
        ["notify-send", user, api_token],
    )
