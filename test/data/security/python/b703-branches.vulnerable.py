from django.utils.safestring import mark_safe


def icon(kind, user):
    if kind == "ok":
        html = "<i>ok</i>"
    else:
        html = user.icon
    return mark_safe(html)


def fixed(kind):
    if kind == "ok":
        html = "<i>ok</i>"
    else:
        html = "<i>no</i>"
    return mark_safe(html)
