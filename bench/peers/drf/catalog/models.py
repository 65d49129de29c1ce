"""Tables with foreign keys; the primary key of a locality is its position in the catalog."""
from django.db import models


class Pais(models.Model):
    idPais = models.IntegerField(primary_key=True)
    cvePais = models.CharField(max_length=3)
    descPais = models.CharField(max_length=200)


class Estado(models.Model):
    idEstado = models.IntegerField(primary_key=True)
    cveEstado = models.CharField(max_length=5)
    cveRenapo = models.CharField(max_length=2)
    descEstado = models.CharField(max_length=200)
    idPais = models.ForeignKey(Pais, models.PROTECT)


class Municipio(models.Model):
    idMunicipio = models.IntegerField(primary_key=True)
    cveMunicipio = models.CharField(max_length=12)
    descMunicipio = models.CharField(max_length=200)
    idEstado = models.ForeignKey(Estado, models.PROTECT)


class Localidad(models.Model):
    cveLocalidad = models.CharField(max_length=12)
    descLocalidad = models.CharField(max_length=200)
    idLocalidad = models.IntegerField()
    idEstado = models.ForeignKey(Estado, models.PROTECT)
    idMunicipio = models.ForeignKey(Municipio, models.PROTECT)

    class Meta:
        ordering = ["id"]
