#!/bin/bash
# Installs the package on a fresh Debian as docs/OPERATIONS.md says, with a certificate by ACME, sends a message, upgrades to a next version
# and goes back with the backup: fresh-debian.sh [PACKAGE]. PACKAGE is a tarball of `npm run release`; without one, it is packed of this
# checkout. Prints how long each part took. Debian comes from its mirror and runs with its own systemd in systemd-nspawn, in this host's network: the service has
# 127.0.0.77, where ports 80 and 443 must be free. The authority is Debian's pebble, which rejects half of all nonces and is slow to
# validate. The next version is built of a copy of this checkout, with a further schema. Node is that of NODE_VERSION (24) from npm.
# Needs root and the network; installs what is missing on this host, and removes everything else that it creates.
set -euo pipefail
checkout=$(cd "$(dirname "$0")/../.." && pwd)
version=$(node -p 'require(process.argv[1]).version' "$checkout/package.json")
package=${1:+$(readlink -e "$1")} || {
  echo "fresh-debian: there is no package $1" >&2
  exit 1
}
address=127.0.0.77 authority=127.0.0.78 web=mail.shop.example mta=mta.shop.example
work=$(mktemp -d -p /var/tmp) root=$work/debian
processes=()

leave() {
  local pid
  [ -z "${leader:-}" ] || kill -s RTMIN+4 "$leader" 2>/dev/null || true
  for pid in "${processes[@]}"; do wait_for_end "$pid"; done
  rm -rf --one-file-system "$work"
}
trap leave EXIT

wait_for_end() {
  local attempt
  for attempt in $(seq 100); do
    kill -0 "$1" 2>/dev/null || return 0
    [ "$attempt" != 50 ] || kill "$1" 2>/dev/null || true
    sleep 0.2
  done
  kill -KILL "$1" 2>/dev/null || true
}
exec 4>&2
fail() {
  trap - ERR
  # A function that has failed may have redirected its output.
  exec >&4 2>&4
  printf 'fresh-debian: %s: %s\n' "${current:-start}" "$*"
  tail -n 15 "$work"/*.log || true
  [ -z "${leader:-}" ] || on_host 'journalctl -u postrider --no-pager | tail -n 40' || true
  exit 1
}

set -E
trap 'fail "line $LINENO failed"' ERR

# part NAME COMMAND...: prints how long it took.
part() {
  local began=$SECONDS
  current=$1
  shift
  "$@"
  echo "$current: $((SECONDS - began)) s"
}

# await WHAT SECONDS COMMAND...
await() {
  local what=$1 end=$((SECONDS + $2))
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || fail "$what has not happened"
    sleep 0.5
  done
}

# A login shell of root on the fresh Debian.
on_host() {
  nsenter --target "$leader" --mount --uts --ipc --pid --root --wd env -i HOME=/root LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin bash -euc "cd /root; $1"
}
# The member of a JSON object on standard input.
# shellcheck disable=SC2016 # Node expands it.
member() { node -e 'const value = JSON.parse(require("fs").readFileSync(0)); console.log(eval(`value.${process.argv[1]}`))' "$1"; }

make_debian() {
  debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,ca-certificates,curl bookworm "$root" \
    http://deb.debian.org/debian >"$work/debian.log" 2>&1
}

install_node() {
  "$checkout/test/sysadmin/furnish.sh" "$root" "$("$checkout/.ci/node" "${NODE_VERSION:-24}" "$work")" >"$work/node.log" 2>&1
}

boot() {
  # Nothing of this host's units may start in it that changes the network.
  systemd-nspawn --directory="$root" --machine=fresh-debian --boot --register=no --keep-unit --resolv-conf=copy-host \
    </dev/null >"$work/boot.log" 2>&1 &
  processes+=($!)
  await "the start of Debian" 60 find_leader $!
  await "the end of Debian's start" 60 on_host 'systemctl is-system-running | grep -E "running|degraded"'
}
# Process 1 of the container.
find_leader() {
  leader=$(pgrep --parent "$1" | head -n 1)
  [ -n "$leader" ] && grep -Eq '^NSpid:.*\s1$' "/proc/$leader/status"
}

# An authority with its faults on, and its DNS: every name is the fresh Debian's.
start_authority() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=authority" \
    -addext "subjectAltName=IP:$authority" -keyout "$work/authority.key" -out "$work/authority.pem" 2>"$work/openssl.log"
  cat >"$work/pebble.json" <<END
{ "pebble": { "listenAddress": "$authority:14000", "managementListenAddress": "$authority:15000", "httpPort": 80, "tlsPort": 443,
  "certificate": "$work/authority.pem", "privateKey": "$work/authority.key", "certificateValidityPeriod": 7776000 } }
END
  pebble-challtestsrv -dns01 "$authority:8053" -defaultIPv4 "$address" -defaultIPv6 "" -http01 "" -https01 "" -tlsalpn01 "" \
    -management "$authority:8055" >"$work/dns.log" 2>&1 &
  processes+=($!)
  PEBBLE_WFE_NONCEREJECT=50 PEBBLE_VA_SLEEPTIME=10 PEBBLE_AUTHZREUSE=0 \
    pebble -config "$work/pebble.json" -dnsserver "$authority:8053" >"$work/pebble.log" 2>&1 &
  processes+=($!)
  await "the authority's start" 30 curl -fs --cacert "$work/authority.pem" "https://$authority:15000/roots/0" -o "$work/root.pem"
  cp "$work/authority.pem" "$root/etc/ssl/authority.pem"
  cp "$work/root.pem" "$root/root/root.pem"
}

# docs/OPERATIONS.md, "Package with systemd".
install_package() {
  cp "$package" "$root/root/postrider-$version.tgz"
  on_host "tar -xzf postrider-*.tgz --strip-components=2 package/ops/install.sh
    sh install.sh install ./postrider-*.tgz" >"$work/install.log" 2>&1
}

# docs/TLS.md, "Certificates by themselves"; docs/OPERATIONS.md on ports below 1024.
configure() {
  on_host "grep -v '^HOST=' /etc/postrider.env >new.env
    cat >>new.env <<END
MTA_HOSTNAME=$mta
SENDING_IPS=192.0.2.10
PUBLIC_URL=https://$web
HOST=$address
PORT=443
ACME_EMAIL=ops@shop.example
ACME_DIRECTORY=https://$authority:14000/dir
NODE_EXTRA_CA_CERTS=/etc/ssl/authority.pem
DNS_SERVERS=$authority:8053
PROBE_DOMAINS=none
BLOCKLISTS=none
END
    cat new.env >/etc/postrider.env
    mkdir -p /etc/systemd/system/postrider.service.d
    printf '[Service]\nAmbientCapabilities=CAP_NET_BIND_SERVICE\nCapabilityBoundingSet=CAP_NET_BIND_SERVICE\n' \
      >/etc/systemd/system/postrider.service.d/override.conf
    systemctl daemon-reload; systemctl restart postrider"
}

request() { on_host "curl -sS --fail-with-body --cacert root.pem --resolve $web:443:$address https://$web$*"; }
await_certificate() { await "the certificate" 300 request /healthz; }
serial() {
  openssl s_client -connect $address:443 -servername $web </dev/null 2>/dev/null | openssl x509 -noout -serial
}

# A message of a test key to a recipient that is played: prints its id.
send() {
  request "/api/sending/send -H 'Authorization: Bearer $key' -H 'Content-Type: application/json' \
    -d '{\"from\":\"hello@shop.example\",\"to\":\"delivered@customers.example\",\"subject\":\"$1\",\"text\":\"Hi\"}'" | member id
}
# Fails unless the message is delivered.
require_delivered() {
  local result
  result=$(request "'/api/sending/messages/$1?wait=30' -H 'Authorization: Bearer $key'" | member 'recipients[0].result')
  [ "$result" = delivered ] || fail "message $1 is $result"
}
first_message() {
  on_host "journalctl -u postrider --no-pager" | grep -q "https://$web/dashboard/setup" || fail "the log has no setup link"
  on_host "postrider domains add shop.example" >"$work/domain.log"
  key=$(on_host "postrider keys create --name website --test --json" | member key)
  first=$(send First)
  require_delivered "$first"
}

# Packs the package of a checkout into $work.
pack() {
  CHECKOUT=$1 WORK=$work node --import tsx --input-type=module >>"$work/pack.log" 2>&1 <<'END'
const { CHECKOUT, WORK } = process.env;
const { compileBuild, stagePackage, packPackage } = await import(`${CHECKOUT}/ops/release/npm-package.ts`);
const { mkdtempSync } = await import("node:fs");
const dir = mkdtempSync(`${WORK}/pack-`);
compileBuild(`${dir}/build`);
await stagePackage(`${dir}/build`, `${dir}/package`);
packPackage(`${dir}/package`, WORK);
END
}
build_package() {
  pack "$checkout"
  package=$work/postrider-$version.tgz
}
build_next() {
  next_version=$version-next.1
  mkdir "$work/next"
  (cd "$checkout" && git ls-files -z | tar -c --null -T - | tar -x -C "$work/next")
  ln -s "$checkout/node_modules" "$work/next/node_modules"
  sed -i '/^export const MIGRATIONS/,/^\];/s/^\];/  "CREATE TABLE next_version (number INTEGER) STRICT;",\n];/' \
    "$work/next/src/spool/schema/sqlite.ts"
  grep -q next_version "$work/next/src/spool/schema/sqlite.ts" || fail "the next version has no further schema"
  (cd "$work/next" && npm version --no-git-tag-version "$next_version") >>"$work/pack.log" 2>&1
  pack "$work/next"
  cp "$work/postrider-$next_version.tgz" "$root/root/next.tgz"
}

# docs/OPERATIONS.md, "Upgrade".
upgrade() {
  on_host "postrider backup /var/lib/postrider/before-upgrade
    sh install.sh install ./next.tgz" >"$work/upgrade.log" 2>&1
  await "the start of the next version" 60 request /readyz
  [ "$(on_host 'postrider --version')" = "$next_version" ] || fail "the next version is not installed"
  require_delivered "$first"
  second=$(send Second)
  require_delivered "$second"
}

# CHANGELOG.md, "At every upgrade", with docs/OPERATIONS.md, "Restore".
go_back() {
  on_host "sh install.sh install ./postrider-$version.tgz" >"$work/back.log" 2>&1
  await "the refusal of the newer spool" 60 on_host \
    "journalctl -u postrider --no-pager | grep 'run the newer version again, or restore the backup'"
  on_host "systemctl stop postrider
    mv /var/lib/postrider/data /var/lib/postrider/data.old
    mv /var/lib/postrider/certs/master.key /var/lib/postrider/certs/master.key.old
    postrider restore /var/lib/postrider/before-upgrade
    systemctl start postrider" >>"$work/back.log" 2>&1
  await "the start of the former version" 60 request /healthz
  on_host "postrider queue resume --hold" >>"$work/back.log" 2>&1
  await "its readiness" 60 request /readyz
  [ "$(on_host 'postrider --version')" = "$version" ] || fail "the former version is not installed"
  require_delivered "$first"
  ! request "/api/sending/messages/$second -H 'Authorization: Bearer $key'" >/dev/null 2>&1 || fail "the backup has a later message"
  require_delivered "$(send Third)"
}

remove() {
  on_host "sh install.sh remove
    test -d /var/lib/postrider/data && ! command -v postrider
    sh install.sh install ./postrider-$version.tgz
    sh install.sh remove --purge
    ! getent passwd postrider
    ! ls -d /opt/postrider /var/lib/postrider /etc/postrider.env" >"$work/remove.log" 2>&1
}

[ "$(id -u)" = 0 ] || fail "run it as root"
cd "$checkout"
"$checkout/.ci/need" debootstrap=debootstrap systemd-nspawn=systemd-container pebble=pebble openssl=openssl curl=curl
[ -n "$package" ] || part "the package" build_package
part "Debian by debootstrap" make_debian
part "Node and npm" install_node
part "Debian's start" boot
part "the authority" start_authority
began=$SECONDS
part "install.sh install" install_package
part "settings and restart" configure
part "a certificate by ACME" await_certificate
certificate=$(serial)
part "the first message" first_message
echo "from the package to a delivered message over HTTPS: $((SECONDS - began)) s"
on_host "postrider doctor | grep -E '^ok +(public_url|automatic_certificate|file_system) '"
part "the next version, built" build_next
part "backup and upgrade" upgrade
[ "$(serial)" = "$certificate" ] || fail "the next version serves another certificate"
part "the way back with the backup" go_back
[ "$(serial)" = "$certificate" ] || fail "the former version serves another certificate"
part "removal" remove
