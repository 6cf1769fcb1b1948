#!/bin/sh
# Unpacks Debian's mail servers under DIR, each into its own root directory for chroot with all its libraries:
# install-peers.sh DIR. The packages conflict with each other, so none is installed, and the system is not changed.
# Needs root, apt and, for missing servers, the network. Servers that DIR already has are kept.
set -eu
dir=$1

mkdir -p "$dir"
exec 9>"$dir/lock"
flock 9

# With an empty list of installed packages, apt resolves all dependencies, including the C library.
fetch() {
  mkdir -p "$dir/debs/$1/partial"
  : >"$dir/status"
  apt-get -q -y --no-install-recommends --download-only -o Acquire::Retries=3 \
    -o Dir::State::status="$dir/status" -o Dir::Cache::archives="$dir/debs/$1" \
    -o APT::Sandbox::User=root -o Debug::NoLocking=1 install "$1" dash openssl >"$dir/$1.log" 2>&1
}

unpack() {
  root=$dir/$1.new
  rm -rf "$root"
  mkdir -p "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib" "$root/usr/lib64" "$root/dev" "$root/etc" "$root/tmp"
  for name in bin sbin lib lib64; do ln -s "usr/$name" "$root/$name"; done
  for deb in "$dir/debs/$1"/lib*.deb "$dir/debs/$1"/zlib1g*.deb "$dir/debs/$1"/dash_*.deb "$dir/debs/$1"/openssl_*.deb \
    "$dir/debs/$1/${1%%-*}"*.deb; do
    case $deb in */libperl*) ;; *) dpkg -x "$deb" "$root" ;; esac
  done
  rm -rf "$root/usr/share"
  ldconfig -r "$root"
  mknod -m 666 "$root/dev/null" c 1 3
  mknod -m 666 "$root/dev/urandom" c 1 9
  chmod 1777 "$root/tmp"
  mv "$root" "$dir/$1"
}

for package in postfix exim4-daemon-light opensmtpd; do
  [ ! -d "$dir/$package" ] || continue
  fetch "$package" || { apt-get -q update >"$dir/update.log" 2>&1 && fetch "$package"; } || {
    tail -n 1 "$dir/$package.log" >&2
    exit 1
  }
  unpack "$package"
  rm -rf "$dir/debs/$package"
done
