from django.contrib.auth.models import User


def search(name):
    first = User.objects.filter(active=True, name=name)
    second = User.objects.extra(select={"one": "1"}, where=["active = 1"], tables=["t"])
    return first, second
