#!/bin/sh
# Installs Postrider as a systemd service on Debian or Ubuntu, from its npm package, and removes it again. Run it as root.
set -eu

PACKAGE=postrider
PREFIX=/opt/postrider
STATE=/var/lib/postrider
SETTINGS=/etc/postrider.env
UNIT=/etc/systemd/system/postrider.service
COMMAND=/usr/local/bin/postrider

usage() {
  cat <<END
usage: install.sh install [PACKAGE]   PACKAGE: a version such as postrider@1.0.0, or the path of a tarball; postrider unless given
       install.sh remove [--purge]    --purge: also the spool, the keys, the settings and the user that install has created, for good
       install.sh --help

install puts the package into $PREFIX, creates the user postrider and $STATE, writes $SETTINGS if there is none, and
starts the service. Run again, it upgrades the package and restarts. Take a backup before: postrider backup FILE.

Node 20.19, 22 or 24 must be there already. Which source is your choice:
  Debian 13 and newer        apt-get install nodejs npm   (with the distribution's updates; elsewhere see apt-cache policy nodejs)
  any Debian or Ubuntu       https://github.com/nodesource/distributions   (Node 22 or 24, packages of NodeSource)
  any Linux                  https://nodejs.org/en/download    (unpack into /usr/local)
On Node 20, better-sqlite3 12 is downloaded as a binary, or compiled: then g++, make and python3 are needed as well.
END
}

fail() {
  echo "install.sh: $*" >&2
  exit 1
}

require_host() {
  [ "$(id -u)" = 0 ] || fail "run it as root"
  command -v systemctl >/dev/null || fail "there is no systemctl: this script needs systemd"
}

require_node() {
  command -v node >/dev/null || fail "there is no node on the PATH; install.sh --help lists where to get it"
  command -v npm >/dev/null || fail "there is no npm on the PATH; install.sh --help lists where to get it"
  node -e '
    const [major, minor] = process.versions.node.split(".").map(Number);
    process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1);
  ' || fail "Node $(node --version) is too old: 20.19 or newer is needed"
  # The unit hides the homes of users, so a Node from there could not start.
  case $(readlink -f "$(command -v node)") in
    /home/* | /root/*) fail "node is in a home directory, where the service cannot read it: install it for the whole host" ;;
  esac
}

# An absolute path to a tarball, or what npm knows.
package_of() {
  case $1 in
    *.tgz) readlink -e "$1" || fail "there is no file $1" ;;
    *) echo "$1" ;;
  esac
}

# Written by the installation: remove deletes nothing else.
MARK=$PREFIX/.installed-from-package

install_package() {
  # The service runs as another user, who has to read the package whatever root's umask is.
  umask 022
  mkdir -p "$PREFIX"
  touch "$MARK"
  [ -f "$PREFIX/package.json" ] || echo '{ "private": true, "allowScripts": { "better-sqlite3": true } }' >"$PREFIX/package.json"
  # With --prefix instead, npm would not read the settings of the host, such as a registry or an authority.
  (cd "$PREFIX" && npm install --omit=dev --no-audit --no-fund "$1")
}

# The comment of a user that this script has created: remove --purge deletes no other.
CREATED="Postrider, created by install.sh"

create_user() {
  if ! getent passwd postrider >/dev/null; then
    # userdel deletes a group with the user, so the user of a group that was there is not marked.
    if getent group postrider >/dev/null; then set -- --gid postrider; else set -- --user-group --comment "$CREATED"; fi
    useradd --system --home-dir "$STATE" --shell /usr/sbin/nologin "$@" postrider
  fi
  install -d -o postrider -g "$(id -g postrider)" -m 700 "$STATE"
}

remove_user() {
  case $(getent passwd postrider | cut -d : -f 5) in
    "$CREATED") userdel postrider ;;
    *) ! getent passwd postrider >/dev/null || echo "The user postrider is kept: it, or its group, was there before the installation." ;;
  esac
}

write_settings() {
  [ ! -e "$SETTINGS" ] || return 0
  (umask 077 && cat >"$SETTINGS" <<END
# Settings of Postrider. Set the lines below, then: systemctl restart postrider
# The name that SENDING_IPS resolve to and back, and the public addresses that mail leaves from:
#MTA_HOSTNAME=mta.example.com
#SENDING_IPS=192.0.2.10
# The address at which browsers and recipients reach the service:
#PUBLIC_URL=https://mail.example.com
# For a reverse proxy on this host. Remove the line if the service serves HTTPS to other hosts itself, such as with ACME_EMAIL.
HOST=127.0.0.1
DATA_DIR=$STATE/data
CERTS_DIR=$STATE/certs
END
  )
}

write_command() {
  install -m 755 "$PREFIX/node_modules/postrider/ops/command.sh" "$COMMAND"
}

start_service() {
  # The unit looks for node where this shell finds it.
  sed "s#^ExecStart=/usr/bin/env node #ExecStart=$(command -v node) #" \
    "$PREFIX/node_modules/postrider/ops/postrider.service" >"$UNIT"
  systemctl daemon-reload
  systemctl enable postrider
  systemctl restart postrider
}

install_service() {
  require_host
  require_node
  package=$(package_of "$1")
  install_package "$package"
  create_user
  write_settings
  write_command
  start_service
  cat <<END
Postrider $(node "$PREFIX/node_modules/postrider/dist/cli.js" --version) is installed and started. What comes next:
  $SETTINGS          set MTA_HOSTNAME, SENDING_IPS and PUBLIC_URL, then: systemctl restart postrider
  postrider doctor           what stops or hurts delivery from this host
  journalctl -u postrider    has the link that creates the first user
END
}

remove_service() {
  require_host
  [ -e "$MARK" ] || fail "$PREFIX was not installed by this script (there is no $MARK): nothing is removed"
  systemctl disable --now postrider 2>/dev/null || true
  rm -f "$UNIT" "$COMMAND"
  systemctl daemon-reload
  rm -rf "$PREFIX"
  if [ "${1:-}" = --purge ]; then
    rm -rf "$STATE" "$SETTINGS"
    remove_user
    echo "Postrider, its spool, keys and settings are removed."
  else
    echo "Postrider is removed. $STATE and $SETTINGS are kept; install.sh remove --purge deletes them."
  fi
}

case ${1:-} in
  install)
    [ $# -le 2 ] || fail "too many arguments; see install.sh --help"
    install_service "${2:-$PACKAGE}"
    ;;
  remove)
    [ $# -le 2 ] || fail "too many arguments; see install.sh --help"
    case ${2:-} in '' | --purge) remove_service "${2:-}" ;; *) fail "remove takes --purge alone, not $2" ;; esac
    ;;
  --help | -h) usage ;;
  *)
    usage >&2
    exit 2
    ;;
esac
