"""The one collection that is compared."""
from django.urls import path

from catalog.views import Localidades

urlpatterns = [path("api/v1/localidades", Localidades.as_view())]
