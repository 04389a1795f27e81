#!/bin/sh
# What the official image's entry script does for docker-compose.yml: fills in the templates, then the server.
set -eu
for template in /etc/nginx/templates/*.template; do
  names=$(env | sed -n "s/^\(${NGINX_ENVSUBST_FILTER#^}[A-Z_]*\)=.*/\${\1}/p" | tr '\n' ' ')
  envsubst "$names" <"$template" >"$NGINX_ENVSUBST_OUTPUT_DIR/$(basename "$template" .template)"
done
exec "$@"
