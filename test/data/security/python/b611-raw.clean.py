from django.db.models.expressions import RawSQL
from django.contrib.auth.models import User


def annotate(name):
    return User.objects.annotate(val=RawSQL("select 1 where name = %s", [name]))
