from django.utils.html import format_html


def render_comment(comment):
    return format_html("<p>{}</p>", comment.body)
