# The app for a team server: web, worker and beat use the same image with different commands.
FROM python:3.11-slim-bookworm AS libraries
WORKDIR /build
COPY requirements.lock .
RUN python -m venv --without-pip /venv \
    && python -m pip --python /venv/bin/python install --no-cache-dir --no-compile --require-hashes -r requirements.lock
# Remove what a server never reads: tests, headers, translations, Arrow's network protocol, and the descriptions of
# Amazon's services except the store and its credentials. `python -m tests.containers` checks the remaining imports.
# Compile here, because the file system is read-only later.
RUN cd /venv/lib/python3*/site-packages \
    && find . -type d \( -name tests -o -path ./pyarrow/include -o -path ./numpy/_core/include \) -prune -exec rm -rf {} + \
    && find . -path '*/locale/*' -prune ! -name '__init__.py' ! -name en -exec rm -rf {} + \
    && find pyarrow -name '*flight*' -delete \
    && find botocore/data -mindepth 1 -maxdepth 1 -type d ! -name s3 ! -name 'sso*' ! -name sts ! -name signin \
       -exec rm -rf {} + \
    && /venv/bin/python -m compileall -q .

FROM python:3.11-slim-bookworm
RUN useradd --uid 10001 --create-home --home-dir /home/anatomark anatomark
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
# Compile as above, for a fast start.
RUN python -m compileall -q .
# Files are stored unreadable for other accounts, but the app's account must read these.
RUN SECRET_KEY=used-for-collecting-static-files-only-000000 python manage.py collectstatic --noinput \
    && chmod -R a+rX collected
# Last, because manage.py runs as the owner of these folders, who may not write to /app.
RUN install -d -o 10001 -g 10001 /data/media /data/var
USER 10001:10001
EXPOSE 8000
ENV WEB_BIND=0.0.0.0:8000
CMD ["config/deploy/run.sh", "web"]
