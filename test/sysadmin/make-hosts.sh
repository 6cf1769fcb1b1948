#!/bin/bash
# Makes the two machines of first-mail.sh as root directories: make-hosts.sh DIR. DIR/host is a Debian bookworm with what
# README asks for and nothing else; DIR/internet the same with Debian's Postfix and unbound. Needs root, apt and the
# network. What DIR has already is left alone; the system stays as it is.
set -euo pipefail
dir=$1
mkdir -p "$dir"
exec 9>"$dir/lock"
flock 9

# Given to every machine: this host's Node and npm, and what is needed here to reach registry and mirrors.
furnish() {
  local root=$1 node_dir
  node_dir=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
  mkdir -p "$root/usr/local/lib/node_modules" "$root/usr/local/include" "$root/usr/local/etc"
  cp -L "$(command -v node)" "$root/usr/local/bin/node"
  cp -r "$node_dir/include/node" "$root/usr/local/include/node"
  cp -r "$(npm root -g)/npm" "$root/usr/local/lib/node_modules/npm"
  ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
  printf 'cafile=/etc/ssl/certs/ca-certificates.crt\nregistry=%s\n' "$(npm config get registry)" >"$root/usr/local/etc/npmrc"
}

if [ ! -d "$dir/host" ]; then
  rm -rf "$dir/host.new" "$dir/tool"
  (cd "$dir" && { apt-get -q download debootstrap || { apt-get -q update && apt-get -q download debootstrap; }; }) >"$dir/host.log" 2>&1
  dpkg -x "$dir"/debootstrap_*.deb "$dir/tool"
  DEBOOTSTRAP_DIR="$dir/tool/usr/share/debootstrap" "$dir/tool/usr/sbin/debootstrap" --variant=minbase \
    --include=ca-certificates,curl,g++,make,python3 bookworm "$dir/host.new" http://deb.debian.org/debian \
    >>"$dir/host.log" 2>&1
  furnish "$dir/host.new" 2>>"$dir/host.log"
  mv "$dir/host.new" "$dir/host"
fi

if [ ! -d "$dir/internet" ]; then
  new=$dir/internet.new
  rm -rf "$new"
  cp -a "$dir/host" "$new"
  cp /etc/resolv.conf "$new/etc/resolv.conf"
  printf '#!/bin/sh\nexit 101\n' >"$new/usr/sbin/policy-rc.d"
  chmod 755 "$new/usr/sbin/policy-rc.d"
  DEBIAN_FRONTEND=noninteractive chroot "$new" apt-get -q -y --no-install-recommends \
    install postfix unbound iproute2 >"$dir/internet.log" 2>&1
  mv "$new" "$dir/internet"
fi
