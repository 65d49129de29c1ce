"""Records as the contract shows them, embedded records in full."""
from rest_framework import serializers

from catalog import models


class Pais(serializers.ModelSerializer):
    class Meta:
        model = models.Pais
        fields = ["cvePais", "descPais", "idPais"]


class Estado(serializers.ModelSerializer):
    idPais = Pais()

    class Meta:
        model = models.Estado
        fields = ["cveEstado", "cveRenapo", "descEstado", "idEstado", "idPais"]


class Municipio(serializers.ModelSerializer):
    idEstado = Estado()

    class Meta:
        model = models.Municipio
        fields = ["cveMunicipio", "descMunicipio", "idEstado", "idMunicipio"]


class Localidad(serializers.ModelSerializer):
    idEstado = Estado()
    idMunicipio = Municipio()

    class Meta:
        model = models.Localidad
        fields = ["cveLocalidad", "descLocalidad", "idLocalidad", "idEstado", "idMunicipio"]
