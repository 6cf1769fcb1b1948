#!/bin/bash
# A new sysadmin with README alone, from a fresh checkout to the first delivered mail: first-mail.sh MACHINES CHECKOUT.
# MACHINES is what make-hosts.sh made, `npm ci` included. The host is 192.0.2.10 in a network of its own, whose only others are a DNS server
# (unbound) and a provider's Postfix that refuses clients without reverse name. Every command on the host is README's, as
# it stands there; besides, the records are published as they are printed, as in any DNS panel. Prints what a person would
# see, and last how long it took. Needs root; leaves nothing.
set -euo pipefail

if [ "$1" != --inside ]; then
  work=$(mktemp -d "$1/run-XXXXXX")
  trap 'rm -rf --one-file-system "$work"' EXIT
  unshare --mount --pid --fork --kill-child --mount-proc "$0" --inside "$1" "$2" "$work"
  exit
fi
machines=$2 checkout=$3 work=$4
readme=$checkout/README.md
resolver=11.0.0.53 exchanger=11.0.0.25

fail() {
  printf 'first-mail: %s\n' "$1" >&2
  for log in service unbound mail; do
    [ ! -s "$work/$log.log" ] || tail -n 20 "$work/$log.log" >&2
  done
  exit 1
}

# The fenced block of README's "First send" that begins so.
block() {
  awk -v start="$1" '/^## /{section=($0=="## First send")} !section{next}
    /^```/{inside=!inside; if (inside) {first=1} else if (wanted) exit; next}
    inside&&first{first=0; wanted=(index($0,start)==1)} inside&&wanted' "$readme"
}

# In the clean root: a login shell in the checkout, with what was exported before.
on_host() {
  nsenter --net="/proc/$host/ns/net" chroot "$work/host" env -i HOME=/root PATH=/usr/local/bin:/usr/bin:/bin \
    bash -c ". /root/exported; cd /root/postrider; $1"
}
on_internet() {
  nsenter --net="/proc/$internet/ns/net" chroot "$work/internet" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
}
await() {
  for _ in $(seq 150); do
    ! "${@:2}" >/dev/null 2>&1 || return 0
    sleep 0.2
  done
  fail "$1 did not come up"
}

start_unbound() {
  on_internet unbound -d -c /etc/first-mail.conf >>"$work/unbound.log" 2>&1 &
  await unbound on_internet bash -c "</dev/tcp/$resolver/53"
}

# What a DNS panel does with the records that `domains add` prints: a type and a name, and the value below.
publish() {
  awk '/^  (TXT|MX|A) [^ ]+$/{type=$1; name=$2; getline; value=substr($0,3); text=value
      if (type=="TXT") for (text=""; value!=""; value=substr(value,251)) text=text "\"" substr(value,1,250) "\" "
      printf "local-data: '"'%s. %s %s'"'\n", name, type, text}' "$1" >>"$work/internet/etc/zone.conf"
  [ "$(grep -c . "$1")" -gt 0 ] && grep -q _domainkey "$work/internet/etc/zone.conf" || fail "no records were printed"
  local pid
  pid=$(cat "$work/internet/run/unbound.pid")
  kill "$pid"
  while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
  start_unbound
}

grep -q '^npm ci && ' "$readme" || fail "README begins with something else than npm ci"
lock=$(cat "$checkout/package.json" "$checkout/package-lock.json" | sha256sum | cut -c1-16)
cp -al "$machines/installed-$lock" "$work/host"
cp -al "$machines/internet" "$work/internet"
for machine in host internet; do
  mount -t proc proc "$work/$machine/proc"
  rm -f "$work/$machine/etc/resolv.conf"
done
rm "$work"/host/root/postrider/package*.json
(cd "$checkout" && git ls-files -z | tar -c --null -T - | tar -x -C "$work/host/root/postrider")
touch "$work/host/root/exported"
installed=$(cat "$work/host/root/npm-ci-seconds")

unshare --net sleep 600 &
host=$!
unshare --net sleep 600 &
internet=$!
for pid in $host $internet; do
  until [ "$(readlink "/proc/$pid/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
done
ip() { nsenter --net="/proc/$1/ns/net" chroot "$work/internet" /sbin/ip "${@:2}"; }
ip "$host" link add eth0 type veth peer name wan netns "$internet"
for pid in $host $internet; do ip "$pid" link set lo up; done
ip "$host" address add 192.0.2.10/24 dev eth0
ip "$internet" address add 192.0.2.1/24 dev wan
ip "$internet" address add $resolver/32 dev wan
ip "$internet" address add $exchanger/32 dev wan
ip "$host" link set eth0 up
ip "$internet" link set wan up
ip "$host" route add default via 192.0.2.1

cat >"$work/internet/etc/first-mail.conf" <<END
server:
  interface: $resolver
  access-control: 0.0.0.0/0 allow
  use-syslog: no
  logfile: ""
  chroot: ""
  username: ""
  pidfile: "/run/unbound.pid"
  module-config: "iterator"
  local-zone: "." static
  local-zone: "2.0.192.in-addr.arpa." static
  include: /etc/zone.conf
END
# What README takes for granted (a host with a name and a reverse name, a domain), and the others out there.
cat >"$work/internet/etc/zone.conf" <<END
local-data: "mta.example.com. A 192.0.2.10"
local-data-ptr: "192.0.2.10 mta.example.com"
local-data: "mail.example.com. A 192.0.2.20"
local-data: "your-provider.example. MX 10 mx.your-provider.example."
local-data: "gmail.com. MX 10 mx.your-provider.example."
local-data: "mx.your-provider.example. A $exchanger"
local-data: "2.0.0.127.zen.spamhaus.org. A 127.0.0.2"
local-data: "2.0.0.127.bl.spamcop.net. A 127.0.0.2"
END
start_unbound
for machine in host internet; do
  rm -f "$work/$machine/etc/resolv.conf"
  echo "nameserver $resolver" >"$work/$machine/etc/resolv.conf"
done

on_internet useradd -m you
on_internet postconf -F '*/*/chroot=n'
rm -f "$work/internet/etc/postfix/main.cf"
cat >"$work/internet/etc/postfix/main.cf" <<END
compatibility_level = 3.6
myhostname = mx.your-provider.example
mydestination = your-provider.example
inet_interfaces = $exchanger
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
alias_maps =
home_mailbox = Maildir/
maillog_file = /var/log/mail.log
smtpd_client_restrictions = reject_unknown_client_hostname
smtpd_helo_required = yes
smtpd_helo_restrictions = reject_unknown_helo_hostname
END
on_internet postfix start-fg >"$work/mail.log" 2>&1 &
await Postfix on_internet bash -c "</dev/tcp/$exchanger/25"

began=$SECONDS
while read -r line; do
  case $line in
    # The key that is printed takes the place of the one that stands there.
    export\ KEY=*) continue ;;
    export\ *) echo "$line" >>"$work/host/root/exported" && continue ;;
  esac
  echo "\$ $line"
  case $line in
    npm\ start*)
      on_host "$line" >"$work/service.log" 2>&1
      await "the service" on_host "curl -fs http://localhost:8080/healthz"
      continue
      ;;
  esac
  on_host "$line" >"$work/said" || fail "$line"
  cut -c1-160 "$work/said" | sed 's/svc_live_[A-Za-z0-9_-]*/svc_live_…/'
  case $line in
    *"domains add"*) publish "$work/said" ;;
    *"keys create"*) grep -o 'svc_live_[A-Za-z0-9_-]*' "$work/said" | sed 's/^/export KEY=/' >>"$work/host/root/exported" ;;
  esac
done < <(block export)

on_host "$(block 'curl -i')" >"$work/said" 2>"$work/service.log" || fail "the send"
id=$(grep -o 'msg_[A-Za-z0-9_-]*' "$work/said") || fail "$(cat "$work/said")"
echo "\$ curl … /api/sending/send"
grep -a -e '^HTTP' -e '^{' "$work/said"
on_host "$(block 'curl "http' | sed "s/msg_[A-Za-z0-9_-]*/$id/")" >"$work/said" 2>"$work/service.log" || fail "the look-up"
echo "\$ curl … /api/sending/messages/$id?wait=30"
cut -c1-600 "$work/said"
took=$((SECONDS - began))

grep -q '"result":"delivered"' "$work/said" || fail "it was not delivered: $(cat "$work/said")"
cp "$work/internet/var/log/mail.log" "$work/mail.log" 2>/dev/null || true
await "the mailbox" grep -q DKIM-Signature -r "$work/internet/home/you/Maildir/new"
grep -q 'connect from mta.example.com\[192.0.2.10\]' "$work/mail.log" || fail "Postfix does not know the host by name"
echo "delivered: $took s after npm ci, which took $installed s"
