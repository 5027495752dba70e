"""Django's settings. What differs between portals comes from `configuration`; nothing here is edited."""

from __future__ import annotations

from attest.portal.configuration import read_configuration, read_secret_key

CONFIGURATION = read_configuration()

DEBUG = False
SECRET_KEY = read_secret_key(CONFIGURATION.data)
ALLOWED_HOSTS = list(CONFIGURATION.hosts)
CSRF_TRUSTED_ORIGINS = [CONFIGURATION.url] if CONFIGURATION.url else []
DATABASES = {"default": CONFIGURATION.database}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.sessions",
    "django.contrib.messages",
    "attest.portal.audit",
    "attest.portal.people",
    "attest.portal.courses",
    "attest.portal.adjusting",
    "attest.portal.handing_in",
    "attest.portal.grading",
    "attest.portal.marking",
    "attest.portal.regrading",
    "attest.portal.errands",
    "attest.portal.likeness",
    "attest.portal.uploads",
    "attest.portal.lms",
    "attest.portal.outbox",
]

MIDDLEWARE = [
    "attest.portal.headers.protect",
    "attest.portal.logs.log_requests",
    "attest.portal.headers.refuse_other_names",
    "django.middleware.security.SecurityMiddleware",
    "attest.portal.nul.RefuseNul",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "attest.portal.lms.opening.end_what_is_out_of_use",
    "django.contrib.messages.middleware.MessageMiddleware",
    "attest.portal.people.zones.use_own_zone",
]

ROOT_URLCONF = "attest.portal.urls"
ASGI_APPLICATION = "attest.portal.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "DIRS": [],
        "APP_DIRS": False,
        "OPTIONS": {
            "environment": "attest.portal.pages.environment",
            "context_processors": ["attest.portal.pages.context"],
        },
    }
]

AUTH_USER_MODEL = "people.Person"
AUTHENTICATION_BACKENDS = ["attest.portal.people.signing_in.ByEmail"]
PASSWORD_HASHERS = ["attest.portal.people.hashing.Argon2"]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ("email", "name")},
    },
]
PASSWORD_RESET_TIMEOUT = 14 * 24 * 3600  # a link to set a password, as the roster's people get it
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "courses"

# By https under names that no neighbour below the same domain can set a cookie for.
_OURS = "__Host-" if CONFIGURATION.is_secure else ""
SESSION_COOKIE_NAME = f"{_OURS}sessionid"
CSRF_COOKIE_NAME = f"{_OURS}csrftoken"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CONFIGURATION.is_secure
SESSION_COOKIE_AGE = 14 * 24 * 3600
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = CONFIGURATION.is_secure
CSRF_FAILURE_VIEW = "attest.portal.failures.forged"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if CONFIGURATION.is_secure else 0

# What a request may hold in memory; files beyond that go to the disk while they come.
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5_000
DATA_UPLOAD_MAX_NUMBER_FILES = 100
FILE_UPLOAD_PERMISSIONS = 0o600

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

LOGGING_CONFIG = None  # attest.portal.logs sets it up, in the processes that have a log
MESSAGE_STORAGE = "django.contrib.messages.storage.cookie.CookieStorage"  # a session would be written
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
