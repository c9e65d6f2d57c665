"""Loaded by pytest before the tests: another time, zone, host, user, environment, folder and seed.

WHAT is replaced by the names of what changes.
"""

import calendar
import os
import random
import sys
import tempfile
import time

what = "WHAT".split()
# The last day of a year: what counts years and months often breaks there.
now = time.gmtime()
shift = calendar.timegm((now.tm_year + 3, 12, 31, 12, 0, 0)) - calendar.timegm(now)

if "environment" in what:
    os.environ.update(LANG="tr_TR.UTF-8", LC_ALL="C", EDITOR="ed", DEBUG="1", PORT="1", CI="1", SHELL="/bin/ash")
    os.environ.update(TUTTI_SURROUNDINGS="another")
if "user" in what:
    os.environ.update(USER="mallory", LOGNAME="mallory", USERNAME="mallory", HOME="/tmp")
    os.getlogin = lambda: "mallory"
    real_uid = os.getuid()

    def other_uid():
        # pytest asks whom its temporary folders belong to.
        asker = sys._getframe(1).f_globals.get("__name__", "")
        return real_uid if asker.startswith("_pytest.") else 4242

    os.getuid = os.geteuid = other_uid
if "host" in what:
    import platform
    import socket

    socket.gethostname = socket.getfqdn = platform.node = lambda *_: "elsewhere"
    os.environ["HOSTNAME"] = "elsewhere"
    real_uname = os.uname()
    os.uname = lambda: type(real_uname)(("Linux", "elsewhere", *real_uname[2:]))
if "zone" in what:
    os.environ["TZ"] = "Asia/Kathmandu"
    time.tzset()
if "seed" in what:
    random.seed(918273645)
if "folder" in what:
    # The code stays where it is: it is found by its full path.
    sys.path[:] = [os.path.abspath(path) for path in sys.path]
    os.chdir(tempfile.mkdtemp())
if "time" in what:
    import datetime

    real = {name: getattr(time, name) for name in ("time", "time_ns", "localtime", "gmtime", "ctime", "strftime")}
    time.time = lambda: real["time"]() + shift
    time.time_ns = lambda: real["time_ns"]() + int(shift * 1e9)
    time.localtime = lambda seconds=None: real["localtime"](time.time() if seconds is None else seconds)
    time.gmtime = lambda seconds=None: real["gmtime"](time.time() if seconds is None else seconds)
    time.ctime = lambda seconds=None: real["ctime"](time.time() if seconds is None else seconds)
    time.strftime = lambda form, at=None: real["strftime"](form, time.localtime() if at is None else at)
    real_date, real_datetime = datetime.date, datetime.datetime

    class AnyDate(type):
        def __instancecheck__(cls, value):
            return isinstance(value, cls.real)

        def __subclasscheck__(cls, other):
            return issubclass(other, cls.real)

    class date(real_date, metaclass=AnyDate):
        real = real_date

        @classmethod
        def today(cls):
            return cls.fromtimestamp(time.time())

    class OtherDatetime(real_datetime, metaclass=AnyDate):
        real = real_datetime

        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(time.time(), tz)

        @classmethod
        def utcnow(cls):
            return cls.utcfromtimestamp(time.time())

        @classmethod
        def today(cls):
            return cls.fromtimestamp(time.time())

    OtherDatetime.__name__ = OtherDatetime.__qualname__ = "datetime"
    datetime.date, datetime.datetime = date, OtherDatetime
