"""Settings of the site. What differs between machines comes from the environment."""

from __future__ import annotations

import ipaddress
import os
from pathlib import Path
from typing import Any

from kombu import Exchange, Queue
from whitenoise.compress import Compressor

from config import env, transport
from config.limits import *  # noqa: F403

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = env.folder("VAR_DIR", default=BASE_DIR / "var")

DEBUG = env.debug()
# Embedded: one person's machine with SQLite. Anything else is a team server.
EMBEDDED = not env.secret("DATABASE_URL").startswith("postgres")
SECRET_KEY = env.secret_key(embedded=EMBEDDED, keep_in=VAR_DIR / "secret.key")
ALLOWED_HOSTS = env.names("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
# Host and port in links that leave the site; by default those of the request.
SITE_ADDRESS = os.environ.get("SITE_ADDRESS", "").strip()
CSRF_TRUSTED_ORIGINS = env.names("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "scoring.apps.ScoringConfig",
    "annotator.apps.AnnotatorConfig",
    "analysis.apps.AnalysisConfig",
    "config.operations",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django_htmx",
    "ninja",
    "axes",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
]

MIDDLEWARE = [
    "config.middleware.RequestMiddleware",
    "config.middleware.UnreadBodyMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.middleware.HeadersMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.middleware.Utf8Middleware",
    "config.middleware.CompressingMiddleware",
    "config.middleware.MediaByProxyMiddleware",
    "config.middleware.UnavailableMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": [
                "django.templatetags.static",
                "django_htmx.templatetags.django_htmx",
                "django.contrib.humanize.templatetags.humanize",
                "annotator.templatetags.anatomark",
                "annotator.templatetags.pictures",
            ],
        },
    }
]

DATABASES: dict[str, Any] = {"default": env.database(default=VAR_DIR / "db.sqlite3")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "annotator.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
# Accepts every password, but revokes API tokens when one changes.
AUTH_PASSWORD_VALIDATORS.append({"NAME": "annotator.people.tokens.RevokesTokens"})
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
SESSION_ENGINE = "annotator.signing_in.sessions"
# Cookies ignore the port, so specific names avoid clashes with other sites on the host.
SESSION_COOKIE_NAME = "anatomark_session"
CSRF_COOKIE_NAME = "anatomark_csrf"
CSRF_FAILURE_VIEW = "annotator.web.views.refusals.csrf_failure"
HTTPS = env.flag("HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_HSTS_SECONDS = 60 * 60 * 24 * 365 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
# W021: only the owner of a domain should add it to browsers' preload lists.
# axes.W002: pages for passwords and codes show lockouts themselves, without middleware.
SILENCED_SYSTEM_CHECKS = ["security.W021", "axes.W002"]
# Number of our proxies in front: the client's position from the right in X-Forwarded-For.
TRUSTED_PROXIES = env.number("TRUSTED_PROXIES", default=1 if HTTPS else 0)
TRUSTED_PROXY_NETWORKS = [
    ipaddress.ip_network(name)
    for name in env.names(
        "TRUSTED_PROXY_NETWORKS",
        default=["127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
    )
]

# Failed sign-ins (annotator/signing_in/throttling.py).
AUTHENTICATION_BACKENDS = [
    "annotator.signing_in.backends.Throttle",
    "annotator.signing_in.backends.Accounts",
]
AXES_HANDLER = "annotator.signing_in.throttling.Handler"
AXES_RESET_ON_SUCCESS = True
# Attempts during a lockout do not prolong it.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_LOCKOUT_PARAMETERS = "annotator.signing_in.throttling.counted_together"
AXES_USERNAME_CALLABLE = "annotator.signing_in.throttling.stored_name"
AXES_CLIENT_IP_CALLABLE = "annotator.signing_in.throttling.client_address"
AXES_CLIENT_STR_CALLABLE = "annotator.signing_in.throttling.nobody"
# Rows keep field names but no values of our forms.
AXES_SENSITIVE_PARAMETERS = [
    *("username", "password", "password1", "password2", "old_password", "new_password1", "new_password2"),
    *("code", "invitation", "next", "csrfmiddlewaretoken", "ip_address", "user_agent"),
]
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False

# Second factors and single sign-on. Accounts require an invitation, and allauth sends no mail.
ACCOUNT_ADAPTER = "annotator.signing_in.adapter.AccountAdapter"
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_RATE_LIMITS = False  # these count per process; ours count in the database
MFA_ADAPTER = "annotator.signing_in.second_factor.SecondFactorAdapter"
MFA_TOTP_ISSUER = "Anatomark"
MFA_TOTP_TOLERANCE = 1  # clocks of phones differ; a code still works only once
MFA_FORMS = {
    name: f"annotator.signing_in.code_forms.{form}"
    for name, form in {
        "authenticate": "CodeForm",
        "reauthenticate": "ConfirmForm",
        "activate_totp": "ActivateForm",
    }.items()
}
SINGLE_SIGN_ON = env.single_sign_on()
SOCIALACCOUNT_ADAPTER = "annotator.signing_in.single_sign_on.LinkedAccountAdapter"

# Mail: links for a new password. Without EMAIL_URL none is sent.
_MAIL = env.mail()
globals().update(_MAIL)
MAIL_FROM: str = _MAIL.get("DEFAULT_FROM_EMAIL", "")

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = env.folder("STATIC_ROOT", default=VAR_DIR / "static")
# Collected: compressed and named by content. Otherwise (development) served from their folders.
STATIC_COLLECTED = env.flag("STATIC_COLLECTED", default=False)
WHITENOISE_USE_FINDERS = not STATIC_COLLECTED
# Source maps of the API's documentation page are large, and hardly anybody loads them.
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = (*Compressor.SKIP_COMPRESS_EXTENSIONS, "map")
MEDIA_ROOT = env.folder("MEDIA_ROOT", default=BASE_DIR / "media")
MEDIA_URL: str | None = None  # media are private: a view checks access
# 1 behind config/deploy/nginx.conf.template, which sends allowed files by X-Accel-Redirect.
MEDIA_BY_PROXY = env.flag("MEDIA_BY_PROXY", default=False)
# A bucket instead of the folder, or None.
MEDIA_STORE = env.media_store()
STORAGES: dict[str, dict[str, Any]] = {
    "default": MEDIA_STORE.storage
    if MEDIA_STORE
    else {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if STATIC_COLLECTED
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
FILE_UPLOAD_PERMISSIONS = 0o640
# Background jobs: Redis if REDIS_URL is set, otherwise a folder of messages.
REDIS_URL = env.address("REDIS_URL", "REDIS_PASSWORD")
QUEUE_DIR = VAR_DIR / "queue"
CELERY_TASK_TIME_LIMIT = 30 * 60
CELERY_TASK_SOFT_TIME_LIMIT = CELERY_TASK_TIME_LIMIT - 60
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
# Pages never wait for the queue: the row is stored, and the sweep sends it later.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# Display copies use every core. Past eight, reports at the same time would need too much memory.
CELERY_WORKER_CONCURRENCY = env.number("WORKER_PROCESSES", default=max(2, min(8, os.cpu_count() or 1))) or 1
CELERY_WORKER_MAX_TASKS_PER_CHILD = 200
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A worker alternates between queues, so reports and jobs do not wait behind hundreds of imported images.
# Uploads are read from a separate queue, by a separate worker if there are several.
QUEUES = ("celery", "reports", "files")
CELERY_TASK_QUEUES = [Queue(name, Exchange(name), routing_key=name) for name in QUEUES]
CELERY_TASK_ROUTES = {
    name: {"queue": "reports"}
    for name in ("analysis.tasks.*", "annotator.tasks.run_job", "annotator.tasks.sweep_jobs")
}
CELERY_TASK_ROUTES["annotator.tasks.read_file"] = {"queue": "files"}
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "beat-schedule")
CELERY_BROKER_URL = REDIS_URL or f"{transport.ALIAS}://localhost"
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = (
    {
        # Longer than any task may run; otherwise Redis delivers a message twice.
        "visibility_timeout": CELERY_TASK_TIME_LIMIT + 5 * 60,
        "socket_timeout": 2,
        "socket_connect_timeout": 2,
        # Fail immediately if the broker is down, so that pages do not wait.
        "max_retries": 1,
        "interval_start": 0,
        "global_keyprefix": os.environ.get("QUEUE_PREFIX", "anatomark:"),
    }
    if REDIS_URL
    else transport.folder_options(QUEUE_DIR)
)

# line: for people; json: one object per line, without secrets and rows quoted by errors.
LOG_FORMAT = os.environ.get("LOG_FORMAT", "").strip() or "line"
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"},
        "json": {"()": "config.operations.log_lines.JsonFormatter"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT}},
    # Sweeps run every few seconds: only what fails is worth a line.
    "loggers": {
        name: {"level": "WARNING"} for name in ("celery.beat", "celery.worker.strategy", "celery.app.trace")
    },
    "root": {"handlers": ["console"], "level": os.environ.get("LOG_LEVEL", "WARNING")},
}
