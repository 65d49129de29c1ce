"""Makes the tables and loads the localities from the pages, one page a line."""
import json
import os

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import transaction  # noqa: E402

from catalog.models import Estado, Localidad, Municipio, Pais  # noqa: E402

BATCH = 5_000
known = {Pais: set(), Estado: set(), Municipio: set()}


def keep(model, record, key, **foreign):
    """Saves a record that others embed, the first time that it is seen."""
    if record[key] not in known[model]:
        known[model].add(record[key])
        model.objects.create(**{**record, **foreign})
    return record[key]


def pais(record):
    return keep(Pais, record, "idPais")


def estado(record):
    country = pais(record["idPais"])
    rest = {name: value for name, value in record.items() if name != "idPais"}
    return keep(Estado, rest, "idEstado", idPais_id=country)


def municipio(record):
    state = estado(record["idEstado"])
    rest = {name: value for name, value in record.items() if name != "idEstado"}
    return keep(Municipio, rest, "idMunicipio", idEstado_id=state)


def localidad(record):
    return Localidad(
        cveLocalidad=record["cveLocalidad"],
        descLocalidad=record["descLocalidad"],
        idLocalidad=record["idLocalidad"],
        idEstado_id=estado(record["idEstado"]),
        idMunicipio_id=municipio(record["idMunicipio"]),
    )


call_command("migrate", run_syncdb=True, verbosity=0)
with transaction.atomic(), open(os.environ["BENCH_PAGES"], encoding="utf-8") as pages:
    batch = []
    for line in pages:
        batch += [localidad(record) for record in json.loads(line)]
        if len(batch) >= BATCH:
            Localidad.objects.bulk_create(batch)
            batch = []
    Localidad.objects.bulk_create(batch)
