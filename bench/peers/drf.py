"""The localities over Django REST Framework. To fill the database: python3 drf.py DIRECTORY PAGES"""
import json
import os
import sys

import django
from django.conf import settings

settings.configure(
    ALLOWED_HOSTS=["*"],
    APPEND_SLASH=False,
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": os.environ["BENCH_DATABASE"],
            "CONN_MAX_AGE": None,
        }
    },
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    MIDDLEWARE=[
        "django.middleware.http.ConditionalGetMiddleware",
        "django.middleware.common.CommonMiddleware",
    ],
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_PERMISSION_CLASSES": [],
        "UNAUTHENTICATED_USER": None,
    },
    ROOT_URLCONF=__name__,
    SECRET_KEY="a benchmark keeps no secrets",
)
django.setup()

from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection, models, transaction  # noqa: E402
from django.urls import path  # noqa: E402
from rest_framework import generics, pagination, renderers, response, serializers  # noqa: E402

BASE_URL = os.environ["BENCH_BASE_URL"]
LAST_MODIFIED = os.environ["BENCH_LAST_MODIFIED"]


class Record(models.Model):
    class Meta:
        abstract = True
        app_label = "catalog"
        ordering = ["pk"]


class Pais(Record):
    idPais = models.IntegerField(primary_key=True)
    cvePais = models.CharField(max_length=3)
    descPais = models.CharField(max_length=200)


class Estado(Record):
    idEstado = models.IntegerField(primary_key=True)
    cveEstado = models.CharField(max_length=5)
    cveRenapo = models.CharField(max_length=2)
    descEstado = models.CharField(max_length=200)
    idPais = models.ForeignKey(Pais, models.PROTECT)


class Municipio(Record):
    idMunicipio = models.IntegerField(primary_key=True)
    cveMunicipio = models.CharField(max_length=12)
    descMunicipio = models.CharField(max_length=200)
    idEstado = models.ForeignKey(Estado, models.PROTECT)


class Localidad(Record):
    """The primary key is the position in the catalog."""

    cveLocalidad = models.CharField(max_length=12)
    descLocalidad = models.CharField(max_length=200)
    idLocalidad = models.IntegerField()
    idEstado = models.ForeignKey(Estado, models.PROTECT)
    idMunicipio = models.ForeignKey(Municipio, models.PROTECT)


class PaisSerializer(serializers.ModelSerializer):
    class Meta:
        model = Pais
        fields = ["cvePais", "descPais", "idPais"]


class EstadoSerializer(serializers.ModelSerializer):
    idPais = PaisSerializer()

    class Meta:
        model = Estado
        fields = ["cveEstado", "cveRenapo", "descEstado", "idEstado", "idPais"]


class MunicipioSerializer(serializers.ModelSerializer):
    idEstado = EstadoSerializer()

    class Meta:
        model = Municipio
        fields = ["cveMunicipio", "descMunicipio", "idEstado", "idMunicipio"]


class LocalidadSerializer(serializers.ModelSerializer):
    idEstado = EstadoSerializer()
    idMunicipio = MunicipioSerializer()

    class Meta:
        model = Localidad
        fields = ["cveLocalidad", "descLocalidad", "idLocalidad", "idEstado", "idMunicipio"]


class ApiRenderer(renderers.JSONRenderer):
    """JSON under the name that the contract has for it: format=api."""

    format = "api"


class PagesInHeaders(pagination.PageNumberPagination):
    page_size = 10

    def get_paginated_response(self, data):
        page = self.page
        links = []
        if page.has_previous():
            links.append(self.link(page.previous_page_number(), "prev"))
        if page.has_next():
            links.append(self.link(page.next_page_number(), "next"))
        return response.Response(
            data,
            headers={
                "Access-Control-Allow-Origin": "*",
                "Access-Control-Expose-Headers": "X-Page, X-Per-Page, X-Total, X-Total-Pages, Link, ETag, Allow",
                "X-Page": str(page.number),
                "X-Per-Page": str(self.page_size),
                "X-Total": str(page.paginator.count),
                "X-Total-Pages": str(page.paginator.num_pages),
                "Link": ", ".join(links),
                "Last-Modified": LAST_MODIFIED,
                "Cache-Control": "public, no-cache",
            },
        )

    def link(self, number, relation):
        return f'<{BASE_URL}{self.request.path}?format=api&page={number}>; rel="{relation}"'


class Localidades(generics.ListAPIView):
    queryset = Localidad.objects.select_related("idEstado__idPais", "idMunicipio__idEstado__idPais")
    serializer_class = LocalidadSerializer
    pagination_class = PagesInHeaders
    renderer_classes = [ApiRenderer, renderers.JSONRenderer]


urlpatterns = [path("api/v1/localidades", Localidades.as_view())]
application = get_wsgi_application()


def save_parents(record, saved):
    """Saves the records that are embedded in one, the first time that each is seen, and refers to them by key."""
    plain = {}
    for name, value in record.items():
        if isinstance(value, dict):
            model = {"idPais": Pais, "idEstado": Estado, "idMunicipio": Municipio}[name]
            if (name, value[name]) not in saved:
                saved.add((name, value[name]))
                model.objects.create(**save_parents(value, saved))
            plain[f"{name}_id"] = value[name]
        else:
            plain[name] = value
    return plain


def fill(directory, pages):
    with connection.schema_editor() as editor:
        for model in (Pais, Estado, Municipio, Localidad):
            editor.create_model(model)
    saved = set()
    with transaction.atomic():
        for page in range(1, pages + 1):
            with open(os.path.join(directory, str(page)), encoding="utf-8") as file:
                Localidad.objects.bulk_create([Localidad(**save_parents(one, saved)) for one in json.load(file)])


if __name__ == "__main__":
    fill(sys.argv[1], int(sys.argv[2]))
