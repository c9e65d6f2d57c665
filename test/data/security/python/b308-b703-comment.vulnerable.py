from django.utils.safestring import mark_safe


def render_comment(comment):
    body = "<p>%s</p>" % comment.body
    return mark_safe(body)
