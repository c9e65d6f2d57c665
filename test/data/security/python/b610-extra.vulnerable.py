from django.contrib.auth.models import User


def search(name, column):
    first = User.objects.filter(active=True).extra(where=["name = '%s'" % name])
    second = User.objects.extra(select={column: "1"})
    third = User.objects.extra(tables=name)
    return first, second, third
