class Reports:
    def top(self, queryset):
        return queryset.extra(
            {"total": "select count(*) from orders"},
            ["active = 1"],
        )
