from django.contrib.auth.models import User
from django.http import Http404
from django.shortcuts import render
from django.utils.html import format_html


def profile(request, name):
    user = User.objects.filter(username=name).first()
    if user is None:
        raise Http404(name)
    greeting = format_html("<h1>Hello {}</h1>", user.first_name)
    return render(request, "profile.html", {"greeting": greeting})


def ranking(request):
    users = User.objects.order_by("-score")
    return render(request, "ranking.html", {"users": users})
