#!/bin/sh
# The command line of a service under systemd: with its settings and as its user. It is installed as /usr/local/bin/postrider, for a
# checkout in /opt/postrider (docs/OPERATIONS.md) and for a package (install.sh).
set -eu

# Reads the settings as systemd does: nothing in a value is expanded or run.
while IFS= read -r line || [ -n "$line" ]; do
  case $line in '' | '#'* | ';'*) continue ;; *=*) ;; *) continue ;; esac
  name=${line%%=*} value=${line#*=}
  case $value in
    '"'*'"') value=${value#'"'} value=${value%'"'} ;;
    "'"*"'") value=${value#"'"} value=${value%"'"} ;;
  esac
  export "$name=$value"
done </etc/postrider.env
export HOME=/var/lib/postrider

cd /opt/postrider
if [ -e bin/postrider ]; then set -- bin/postrider "$@"; else set -- node node_modules/postrider/dist/cli.js "$@"; fi
exec setpriv --reuid=postrider --regid="$(id -g postrider)" --init-groups "$@"
