"""No pages."""

urlpatterns = []
