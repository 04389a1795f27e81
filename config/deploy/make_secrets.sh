#!/bin/sh
# Makes secrets/ for docker-compose.yml: random passwords, and a certificate that signs itself until yours
# replaces tls.crt and tls.key. Never writes over what is there.
set -eu
host=${1:?usage: config/deploy/make_secrets.sh HOST-NAME-OF-THE-SITE}
cd "$(dirname "$0")/../.."
# The folder keeps other accounts of this machine out; the files in it are read by the containers' accounts.
mkdir -p secrets
chmod 700 secrets
for name in secret_key postgres_password redis_password metrics_token; do
  if [ ! -s "secrets/$name" ]; then
    openssl rand -hex 32 >"secrets/$name"
    chmod 444 "secrets/$name"
  fi
done
if [ ! -s secrets/tls.crt ]; then
  openssl req -x509 -newkey rsa:2048 -nodes -days 825 -subj "/CN=$host" -addext "subjectAltName=DNS:$host" \
    -keyout secrets/tls.key -out secrets/tls.crt 2>/dev/null
  chmod 444 secrets/tls.key secrets/tls.crt
fi
echo "secrets/ is complete."
