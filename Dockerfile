# The app for a team's server: web, worker and beat are the same image with different commands.
FROM python:3.11-slim-bookworm AS libraries
WORKDIR /build
COPY requirements.lock .
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --require-hashes -r requirements.lock

FROM python:3.11-slim-bookworm
RUN useradd --uid 10001 --create-home --home-dir /home/anatomark anatomark \
    && install -d -o 10001 -g 10001 /data/media /data/var /data/backups
COPY --from=libraries /venv /venv
WORKDIR /app
COPY . .
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    DJANGO_SETTINGS_MODULE=config.settings \
    MEDIA_ROOT=/data/media \
    VAR_DIR=/data/var \
    STATIC_ROOT=/app/collected \
    STATIC_COLLECTED=1
# The file system is read-only later, and a process that has to compile everything starts slowly.
RUN python -m compileall -q .
RUN SECRET_KEY=used-for-collecting-static-files-only-000000 python manage.py collectstatic --noinput
USER 10001:10001
EXPOSE 8000
ENV WEB_BIND=0.0.0.0:8000
CMD ["gunicorn", "--config", "config/deploy/web.py", "config.wsgi"]
