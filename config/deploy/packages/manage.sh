#!/bin/sh
# manage.py of a server that is installed from packages, as its account and with its settings.
set -eu
cd "$(dirname "$0")/../../.."
set -a
. config/deploy/packages/environment
. /etc/anatomark.env
exec runuser -u anatomark -- "$PYTHON" manage.py "$@"
