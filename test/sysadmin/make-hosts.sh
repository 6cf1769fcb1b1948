#!/bin/bash
# Creates the machines of first-mail.sh as root directories: make-hosts.sh DIR CHECKOUT. DIR/host is a Debian bookworm with
# only README's prerequisites; DIR/internet adds Debian's Postfix and unbound; DIR/installed-* is the host after README's
# first command, `npm ci`, in the checkout, with the time it took. Needs root, apt, npm's registry and the network.
# Machines that DIR already has are kept, and the system is not changed.
set -euo pipefail
dir=$1 checkout=$2
mkdir -p "$dir"
exec 9>"$dir/lock"
flock 9

if [ ! -d "$dir/host" ]; then
  rm -rf "$dir/host.new" "$dir/tool"
  (cd "$dir" && { apt-get -q download debootstrap || { apt-get -q update && apt-get -q download debootstrap; }; }) >"$dir/host.log" 2>&1
  dpkg -x "$dir"/debootstrap_*.deb "$dir/tool"
  DEBOOTSTRAP_DIR="$dir/tool/usr/share/debootstrap" "$dir/tool/usr/sbin/debootstrap" --variant=minbase \
    --include=ca-certificates,curl,g++,make,python3 bookworm "$dir/host.new" http://deb.debian.org/debian \
    >>"$dir/host.log" 2>&1
  "$(dirname "$0")/furnish.sh" "$dir/host.new" 2>>"$dir/host.log"
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

installed=$dir/installed-$(cat "$checkout/package.json" "$checkout/package-lock.json" | sha256sum | cut -c1-16)
if [ ! -d "$installed" ]; then
  new=$dir/installed.new
  rm -rf "$new" "$dir"/installed-*
  cp -al "$dir/host" "$new"
  rm -f "$new/etc/resolv.conf"
  cp /etc/resolv.conf "$new/etc/resolv.conf"
  mkdir -p "$new/root/postrider" "$new/root/.npm"
  cp "$checkout/package.json" "$checkout/package-lock.json" "$new/root/postrider/"
  cache=$(npm config get cache 2>/dev/null)
  began=$SECONDS
  unshare --mount bash -ec 'mount --bind "$1" "$2/root/.npm"; mount --bind /proc "$2/proc"
    chroot "$2" env -i HOME=/root PATH=/usr/local/bin:/usr/bin:/bin npm_config_nodedir=/usr/local \
      bash -c "cd /root/postrider && npm ci"' - "$cache" "$new" >"$dir/installed.log" 2>&1 || {
    tail -n 40 "$dir/installed.log" >&2
    exit 1
  }
  echo $((SECONDS - began)) >"$new/root/npm-ci-seconds"
  mv "$new" "$installed"
fi
