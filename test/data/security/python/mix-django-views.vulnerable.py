from django.contrib.auth.models import User
from django.db.models.expressions import RawSQL
from django.shortcuts import render
from django.utils.safestring import mark_safe


def profile(request, name):
    user = User.objects.extra(where=["username = '" + name + "'"]).first()
    assert user is not None
    greeting = "<h1>Hello %s</h1>" % user.first_name
    return render(request, "profile.html", {"greeting": mark_safe(greeting)})


def ranking(request):
    order = request.GET.get("order", "id")
    users = User.objects.annotate(rank=RawSQL("rank() over (order by %s)" % order, []))
    return render(request, "ranking.html", {"users": users})
