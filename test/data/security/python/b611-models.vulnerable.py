from django.db import models
from django.db.models import expressions


class Manager(models.Manager):
    def ranked(self, order):
        return self.annotate(
            rank=expressions.RawSQL(
                "rank() over (order by " + order + ")",
                (),
            )
        )
