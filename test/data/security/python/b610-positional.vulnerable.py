class Reports:
    def top(self, queryset, table):
        return queryset.extra(
            {"total": "select count(*) from %s" % table},
            [self.condition],
        )
