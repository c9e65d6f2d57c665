from django.utils.html import format_html


def badge(text, level):
    return format_html('<span class="{}">{}</span>', level, text)
