#!/bin/sh
# What the official image's entry script does for docker-compose.yml: a cluster at the first start, then the server.
set -eu
bin=$(ls -d /usr/lib/postgresql/*/bin | tail -1)
export PATH="$bin:$PATH" PGDATA=/var/lib/postgresql/data
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # shellcheck disable=SC2086
  initdb -U "$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" -E UTF8 --locale C.UTF-8 $POSTGRES_INITDB_ARGS
  echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
  echo "listen_addresses = '*'" >>"$PGDATA/postgresql.conf"
  postgres -c listen_addresses= &
  until pg_isready -q -U "$POSTGRES_USER" -d postgres; do sleep 0.2; done
  createdb -U "$POSTGRES_USER" "$POSTGRES_DB"
  kill -INT $! && wait $!
fi
exec "$@"
