from django.utils.html import escape


class Widget:
    def render(self, name, value):
        return escape(self.template.replace("$", name))
