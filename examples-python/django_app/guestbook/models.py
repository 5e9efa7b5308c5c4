"""What is kept."""

from django.db import models


class Entry(models.Model):
    author = models.CharField(max_length=100)
    text = models.TextField(max_length=2000)
    written = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-written", "-pk")
