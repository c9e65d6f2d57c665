from django.utils.html import format_html


def icon(kind, user):
    if kind == "ok":
        return format_html("<i>{}</i>", "ok")
    return format_html("<i>{}</i>", user.icon)
