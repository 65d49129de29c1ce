"""The list of localities, with its pagination in the headers."""
from django.conf import settings
from rest_framework.generics import ListAPIView
from rest_framework.pagination import PageNumberPagination
from rest_framework.response import Response

from catalog import models, serializers


class PagesInHeaders(PageNumberPagination):
    page_size = 10

    def get_paginated_response(self, data):
        page = self.page
        links = []
        if page.has_previous():
            links.append(self.link(page.previous_page_number(), "prev"))
        if page.has_next():
            links.append(self.link(page.next_page_number(), "next"))
        return Response(
            data,
            headers={
                "Access-Control-Allow-Origin": "*",
                "Access-Control-Expose-Headers": "X-Page, X-Per-Page, X-Total, X-Total-Pages, Link, ETag, Allow",
                "X-Page": str(page.number),
                "X-Per-Page": str(self.page_size),
                "X-Total": str(page.paginator.count),
                "X-Total-Pages": str(page.paginator.num_pages),
                "Link": ", ".join(links),
                "Last-Modified": settings.LAST_MODIFIED,
                "Cache-Control": "public, no-cache",
            },
        )

    def link(self, number, relation):
        return f'<{settings.BASE_URL}{self.request.path}?format=api&page={number}>; rel="{relation}"'

    def paginate_queryset(self, queryset, request, view=None):
        self.request = request
        return super().paginate_queryset(queryset, request, view)


class Localidades(ListAPIView):
    queryset = models.Localidad.objects.select_related("idEstado__idPais", "idMunicipio__idEstado__idPais")
    serializer_class = serializers.Localidad
    pagination_class = PagesInHeaders
