"""JSON under the name that the contract has for it: format=api."""
from rest_framework.renderers import JSONRenderer


class ApiRenderer(JSONRenderer):
    format = "api"
