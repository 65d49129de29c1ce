"""The collections of API v1 over Django REST Framework. To fill the database: python3 drf.py DIRECTORY PAGES"""
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
        f"{__name__}.headers_alone",
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


def headers_alone(handle):
    """Takes the body from a response to HEAD, which Django leaves to the server, and gunicorn to Django."""

    def handled(request):
        answer = handle(request)
        if request.method == "HEAD":
            answer.content = b""
        return answer

    return handled


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


class Area(Record):
    idArea = models.IntegerField(primary_key=True)
    cveArea = models.CharField(max_length=12)
    descripcion = models.CharField(max_length=1000)


class Campo(Record):
    idCampo = models.IntegerField(primary_key=True)
    cveCampo = models.CharField(max_length=2)
    descripcion = models.CharField(max_length=1000)
    idArea = models.ForeignKey(Area, models.PROTECT)


class Disciplina(Record):
    idDisciplina = models.IntegerField(primary_key=True)
    cveDisciplina = models.CharField(max_length=4)
    descripcion = models.CharField(max_length=1000)
    campoCono = models.ForeignKey(Campo, models.PROTECT)


class Subdisciplina(Record):
    idSubdisciplina = models.IntegerField(primary_key=True)
    cveSubdisciplina = models.CharField(max_length=6)
    descripcion = models.CharField(max_length=1000)
    disciplinaCono = models.ForeignKey(Disciplina, models.PROTECT)


class Audiencia(Record):
    idAudiencia = models.IntegerField(primary_key=True)
    clave = models.CharField(max_length=200)
    descCorta = models.CharField(max_length=1000)
    shortDesc = models.CharField(max_length=1000)


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


class DescribedSerializer(serializers.ModelSerializer):
    description = serializers.CharField(source="descripcion")


class AreaSerializer(DescribedSerializer):
    class Meta:
        model = Area
        fields = ["cveArea", "descripcion", "description", "idArea"]


class CampoSerializer(DescribedSerializer):
    idArea = AreaSerializer()

    class Meta:
        model = Campo
        fields = ["cveCampo", "descripcion", "description", "idCampo", "idArea"]


class DisciplinaSerializer(DescribedSerializer):
    campoCono = CampoSerializer()

    class Meta:
        model = Disciplina
        fields = ["cveDisciplina", "descripcion", "description", "idDisciplina", "campoCono"]


class SubdisciplinaSerializer(DescribedSerializer):
    disciplinaCono = DisciplinaSerializer()

    class Meta:
        model = Subdisciplina
        fields = ["cveSubdisciplina", "descripcion", "description", "idSubdisciplina", "disciplinaCono"]


class AudienciaSerializer(serializers.ModelSerializer):
    class Meta:
        model = Audiencia
        fields = ["clave", "descCorta", "shortDesc", "idAudiencia"]


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
        headers = {
            "Access-Control-Allow-Origin": "*",
            "Access-Control-Expose-Headers": "X-Page, X-Per-Page, X-Total, X-Total-Pages, Link, ETag, Allow",
            "X-Page": str(page.number),
            "X-Per-Page": str(self.page_size),
            "X-Total": str(page.paginator.count),
            # Django counts one page where there are no records.
            "X-Total-Pages": str(-(-page.paginator.count // self.page_size)),
            "Last-Modified": LAST_MODIFIED,
            "Cache-Control": "public, no-cache",
        }
        if links:
            headers["Link"] = ", ".join(links)
        return response.Response(data, headers=headers)

    def link(self, number, relation):
        return f'<{BASE_URL}{self.request.path}?format=api&page={number}>; rel="{relation}"'


class Collection(generics.ListAPIView):
    pagination_class = PagesInHeaders
    renderer_classes = [ApiRenderer, renderers.JSONRenderer]


class Localidades(Collection):
    queryset = Localidad.objects.select_related("idEstado__idPais", "idMunicipio__idEstado__idPais")
    serializer_class = LocalidadSerializer


class Municipios(Collection):
    queryset = Municipio.objects.select_related("idEstado__idPais")
    serializer_class = MunicipioSerializer


class Paises(Collection):
    queryset = Pais.objects.all()
    serializer_class = PaisSerializer


class Subdisciplinas(Collection):
    queryset = Subdisciplina.objects.select_related("disciplinaCono__campoCono__idArea")
    serializer_class = SubdisciplinaSerializer


class Audiencias(Collection):
    queryset = Audiencia.objects.all()
    serializer_class = AudienciaSerializer


urlpatterns = [
    path("api/v1/localidades", Localidades.as_view()),
    path("api/v1/municipios", Municipios.as_view()),
    path("api/v1/paises", Paises.as_view()),
    path("api/v1/subdisciplinas-conocimiento", Subdisciplinas.as_view()),
    path("api/v1/audiencias", Audiencias.as_view()),
]
application = get_wsgi_application()

# The model behind each field that embeds a record, and the field that identifies it.
PARENTS = {
    "idPais": (Pais, "idPais"),
    "idEstado": (Estado, "idEstado"),
    "idMunicipio": (Municipio, "idMunicipio"),
    "idArea": (Area, "idArea"),
    "campoCono": (Campo, "idCampo"),
    "disciplinaCono": (Disciplina, "idDisciplina"),
}


def save_parents(record, saved):
    """Saves the records that are embedded in one, the first time that each is seen, and refers to them by key."""
    plain = {}
    for name, value in record.items():
        if isinstance(value, dict):
            model, key = PARENTS[name]
            save(model, key, value, saved)
            plain[f"{name}_id"] = value[key]
        elif name != "description":
            plain[name] = value
    return plain


def save(model, key, record, saved):
    if (key, record[key]) not in saved:
        saved.add((key, record[key]))
        model.objects.create(**save_parents(record, saved))


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return json.load(file)


def fill(directory, pages):
    """Reads page n of the localities from a file n, and the pages of the other collections from folders of their names."""
    models_of_all = (Pais, Estado, Municipio, Localidad, Area, Campo, Disciplina, Subdisciplina, Audiencia)
    with connection.schema_editor() as editor:
        for model in models_of_all:
            editor.create_model(model)
    saved = set()
    with transaction.atomic():
        for page in range(1, pages + 1):
            records = read(directory, str(page))
            Localidad.objects.bulk_create([Localidad(**save_parents(one, saved)) for one in records])
        for name, model, key in (
            ("municipios", Municipio, "idMunicipio"),
            ("paises", Pais, "idPais"),
            ("subdisciplinas-conocimiento", Subdisciplina, "idSubdisciplina"),
            ("audiencias", Audiencia, "idAudiencia"),
        ):
            for page in os.listdir(os.path.join(directory, name)):
                for record in read(directory, name, page):
                    save(model, key, record, saved)


if __name__ == "__main__":
    fill(sys.argv[1], int(sys.argv[2]))
