"""Which page is where."""

from django.urls import path

from guestbook import views

urlpatterns = [
    path("", views.book, name="book"),
    path("entries.json", views.entries),
    path("database", views.database),
]
