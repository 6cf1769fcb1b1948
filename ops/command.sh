#!/bin/sh
# The command line of a service under systemd: with its settings and as its user. It is installed as /usr/local/bin/postrider, for a
# checkout in /opt/postrider (docs/OPERATIONS.md) and for a package (install.sh).
set -eu

settings=/etc/postrider.env
carriage_return=$(printf '\r')
blank=$(printf ' \t')

# Sets `trimmed` to the text without blanks and carriage returns at its ends.
trim() {
  trimmed=$1
  trimmed=${trimmed#"${trimmed%%[!"$blank$carriage_return"]*}"}
  trimmed=${trimmed%"${trimmed##*[!"$blank$carriage_return"]}"}
}

warn() { echo "postrider: $settings, line $number: $1" >&2; }

# Reads the settings as systemd does: nothing in a value is expanded or run. It prints no value, which may be a secret.
number=0 continued=false
while IFS= read -r line || [ -n "$line" ]; do
  number=$((number + 1))
  trim "$line"
  line=$trimmed
  if $continued; then
    case $line in *\\) ;; *) continued=false ;; esac
    continue
  fi
  case $line in
    '' | '#'* | ';'*) continue ;;
    *\\)
      warn "ignored, with the lines that continue it after a backslash: write the setting on one line"
      continued=true
      continue
      ;;
    *=*) ;;
    *) warn "ignored: it has no =" && continue ;;
  esac
  trim "${line%%=*}"
  name=$trimmed
  trim "${line#*=}"
  value=$trimmed
  case $name in
    '' | [0-9]* | *[!A-Za-z0-9_]*) warn "ignored: the name of a setting has letters, digits and _ alone" && continue ;;
  esac
  case $value in
    '"'?*'"' | '""') value=${value#'"'} value=${value%'"'} ;;
    "'"?*"'" | "''") value=${value#"'"} value=${value%"'"} ;;
    '"'* | "'"*) warn "ignored: the quote is not closed at the end of the line" && continue ;;
  esac
  export "$name=$value"
done <"$settings"
export HOME=/var/lib/postrider

cd /opt/postrider
if [ -e bin/postrider ]; then set -- bin/postrider "$@"; else set -- node node_modules/postrider/dist/cli.js "$@"; fi
exec setpriv --reuid=postrider --regid="$(id -g postrider)" --init-groups "$@"
