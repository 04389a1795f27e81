#!/bin/sh
# manage.py of a server that is installed from packages, as its account and with its settings.
set -eu
program=$(cd "$(dirname "$0")/../../.." && pwd)
set -a
. "$program/config/deploy/packages/environment"
. /etc/anatomark.env
exec runuser -u anatomark -- "$PYTHON" "$program/manage.py" "$@"
