"""Django as a project over a few catalogs would set it up, with nothing in it that the answers do not need."""
import os

SECRET_KEY = "a benchmark keeps no secrets"
DEBUG = False
ALLOWED_HOSTS = ["*"]
INSTALLED_APPS = ["rest_framework", "catalog"]
MIDDLEWARE = [
    "catalog.middleware.head_without_body",
    "django.middleware.http.ConditionalGetMiddleware",
    "django.middleware.common.CommonMiddleware",
]
ROOT_URLCONF = "urls"
APPEND_SLASH = False
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": os.environ["BENCH_DATABASE"],
        "CONN_MAX_AGE": None,
    }
}
REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["catalog.renderers.ApiRenderer", "rest_framework.renderers.JSONRenderer"],
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "UNAUTHENTICATED_USER": None,
}
BASE_URL = os.environ["BENCH_BASE_URL"]
LAST_MODIFIED = os.environ["BENCH_LAST_MODIFIED"]
