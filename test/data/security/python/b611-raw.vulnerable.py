from django.db.models.expressions import RawSQL
from django.contrib.auth.models import User


def annotate(name):
    raw = "select %s from users" % name
    first = User.objects.annotate(val=RawSQL(raw, []))
    second = User.objects.annotate(val=RawSQL("select {}".format(name), []))
    return first, second
