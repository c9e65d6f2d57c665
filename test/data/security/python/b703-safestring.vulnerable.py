from django.utils.safestring import SafeText, SafeString


class Widget:
    def render(self, name, value):
        html = self.template.replace("$", name)
        return SafeText(html)

    def label(self, name):
        return SafeString("<b>" + name + "</b>")
