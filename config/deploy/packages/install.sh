#!/bin/sh
# Set up a server on Debian from packages, as root, with the program in /opt/anatomark: install.sh labels.example.org
# It can be run again, after an upgrade of the program too: what exists is kept.
set -eu
host=${1:?usage: config/deploy/packages/install.sh HOST-NAME-OF-THE-SITE}
cd /opt/anatomark
home=/var/lib/anatomark
make --silent install
# The account of the server cannot write here, so that each start would compile everything again.
.venv/bin/python -m compileall -q .venv/lib config annotator analysis scoring
config/deploy/make_secrets.sh "$host"
id anatomark >/dev/null 2>&1 || useradd --system --home-dir "$home" anatomark
for folder in "$home" "$home/media" "$home/var" "$home/static" "$home/proxy" "$home/proxy/logs"; do
  install -d -o anatomark -g anatomark "$folder"
done
chown -R anatomark: secrets
own=/etc/anatomark.env
[ -e $own ] || (umask 077 && printf 'ALLOWED_HOSTS=%s\nSITE_ADDRESS=%s\n' "$host" "$host" >$own)
grep -qF "$host" $own || { echo "$own does not name $host." >&2; exit 1; }

# By standard input, so that the process list does not show the password. Otherwise PostgreSQL's log would quote rows
# and statements with personal data.
runuser -u postgres -- psql --quiet --set ON_ERROR_STOP=1 <<SQL
select 'create role anatomark login' where not exists (select from pg_roles where rolname = 'anatomark') \gexec
alter role anatomark password '$(cat secrets/postgres_password)';
select 'create database anatomark owner anatomark' where not exists (select from pg_database where datname = 'anatomark') \gexec
alter system set log_error_verbosity = 'terse';
alter system set log_min_error_statement = 'panic';
select pg_reload_conf() \g /dev/null
SQL

(umask 027 && { cat config/deploy/redis.conf && echo "requirepass $(cat secrets/redis_password)"; } >/etc/redis/anatomark.conf)
chgrp redis /etc/redis/anatomark.conf
grep -qx 'include /etc/redis/anatomark.conf' /etc/redis/redis.conf || echo 'include /etc/redis/anatomark.conf' >>/etc/redis/redis.conf

# The journal takes lines by its socket; a service's standard output there is none that nginx can open.
sed -e "s|\${ANATOMARK_HOST}|$host|; s|\${ANATOMARK_ADDRESS}|$host|; s|\${ANATOMARK_WEB}|127.0.0.1:8000|" \
  -e "s|\${ANATOMARK_HTTP_PORT}|80|; s|\${ANATOMARK_HTTPS_PORT}|443|; s|\${ANATOMARK_TEMP}|$home/proxy|" \
  -e "s|\${ANATOMARK_MEDIA}|$home/media|; s|\${ANATOMARK_CERTIFICATE}|/opt/anatomark/secrets/tls.crt|" \
  -e "s|\${ANATOMARK_CERTIFICATE_KEY}|/opt/anatomark/secrets/tls.key|" \
  -e "s|access_log /dev/stdout|access_log syslog:server=unix:/dev/log,nohostname,tag=anatomark|" \
  config/deploy/nginx.conf.template >/etc/anatomark-nginx.conf

systemctl restart redis-server
config/deploy/packages/manage.sh migrate --noinput --verbosity 0
config/deploy/packages/manage.sh collectstatic --noinput --verbosity 0
install -m 644 config/deploy/packages/*.service /etc/systemd/system/
for name in worker files; do # have less weight than the web
  install -d "/etc/systemd/system/anatomark@$name.service.d"
  printf '[Service]\nCPUWeight=12\n' >"/etc/systemd/system/anatomark@$name.service.d/weight.conf"
done
systemctl daemon-reload
systemctl disable --quiet --now nginx
systemctl enable --quiet anatomark@web anatomark@worker anatomark@files anatomark@beat anatomark-proxy
systemctl restart anatomark@web anatomark@worker anatomark@files anatomark@beat anatomark-proxy
echo "Anatomark runs: https://$host/. Create the first account: config/deploy/packages/manage.sh createsuperuser"
