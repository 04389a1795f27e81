#!/bin/sh
# Start one process of a server in the folder of the program: run.sh web | worker | files | beat.
# docker-compose.yml, config/deploy/packages/anatomark@.service and the tests all start their processes here.
set -eu
# No banner, so that every log line is JSON.
celery="${PYTHON:-python} -m celery --quiet -A config"
# Workers yield to the web; between containers and services, cpu_shares and CPUWeight do.
worker="nice -n 10 $celery worker --loglevel INFO --without-gossip --without-mingle"
case ${1-} in
web) exec "${PYTHON:-python}" -m gunicorn --config config/deploy/web.py config.wsgi ;;
worker) exec $worker --queues celery,reports ;;
# Reads uploads, so that reports do not wait behind files.
files) exec $worker --queues files --concurrency 1 --hostname files@%h ;;
beat) exec $celery beat --loglevel INFO ;;
*) echo "usage: config/deploy/run.sh web | worker | files | beat" >&2 && exit 2 ;;
esac
