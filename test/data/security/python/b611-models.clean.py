from django.db import models
from django.db.models import expressions


class Manager(models.Manager):
    def ranked(self):
        return self.annotate(rank=expressions.RawSQL("rank() over (order by id)", ()))
