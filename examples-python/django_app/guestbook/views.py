"""The pages: the book with a form, and its entries as JSON."""

from django.db import connection
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from guestbook.models import Entry

SHOWN = 50


class EntryForm(ModelForm):
    class Meta:
        model = Entry
        fields = ("author", "text")


@require_http_methods(["GET", "HEAD", "POST"])
def book(request: HttpRequest) -> HttpResponse:
    form = EntryForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        form.save()
        request.session["written"] = request.session.get("written", 0) + 1
        return redirect("book")
    status = 400 if form.is_bound else 200
    context = {"form": form, "entries": Entry.objects.all()[:SHOWN], "written": request.session.get("written", 0)}
    return render(request, "book.html", context, status=status)


@require_safe
def entries(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"entries": list(Entry.objects.values("author", "text")[:SHOWN])})


@require_safe
def database(request: HttpRequest) -> HttpResponse:
    """Tells a monitor whether the database answers."""
    with connection.cursor() as cursor:
        cursor.execute("select 1")
    return HttpResponse("ok\n", content_type="text/plain")
