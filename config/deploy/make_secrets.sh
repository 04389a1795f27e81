#!/bin/sh
# Create secrets/ for docker-compose.yml: random passwords and a self-signed certificate, to be replaced by your
# tls.crt and tls.key. Existing files are never overwritten.
set -eu
host=${1:?usage: config/deploy/make_secrets.sh HOST-NAME-OF-THE-SITE}
cd "$(dirname "$0")/../.."
# The folder is closed to other accounts; the containers' accounts read the files in it.
mkdir -p secrets
chmod 700 secrets
for name in secret_key postgres_password redis_password; do
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
