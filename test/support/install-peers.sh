#!/bin/sh
# Unpacks Debian packages under DIR, each NAME into a root directory of its own for chroot with all its libraries:
# install-peers.sh DIR NAME... Mail servers conflict with each other, so none is installed, and the system is not changed.
# `languages` is one root directory for programs and libraries that submit messages. Needs root, apt and, for what is missing,
# the network. What DIR already has is kept.
set -eu
dir=$1
shift

mkdir -p "$dir"
exec 9>"$dir/lock"
flock 9

packages_of() {
  case $1 in
    postfix) echo postfix libsasl2-modules dash openssl ;;
    languages)
      echo dash coreutils libc-bin curl swaks libnet-ssleay-perl libio-socket-ssl-perl msmtp s-nail \
        php-cli libphp-phpmailer php-symfony-mailer python3-django ruby-mail \
        libemail-sender-perl libemail-mime-perl libauthen-sasl-perl \
        default-jre-headless libeclipse-jdt-core-java libjakarta-mail-java \
        wordpress micro-httpd php-mysql mariadb-server-core
      ;;
    *) echo "$1" dash openssl ;;
  esac
}

# With an empty list of installed packages, apt resolves all dependencies, including the C library.
fetch() {
  mkdir -p "$dir/debs/$1/partial"
  : >"$dir/status"
  # shellcheck disable=SC2046
  apt-get -q -y --no-install-recommends --download-only -o Acquire::Retries=3 \
    -o Dir::State::status="$dir/status" -o Dir::Cache::archives="$dir/debs/$1" \
    -o APT::Sandbox::User=root -o Debug::NoLocking=1 install $(packages_of "$1") >"$dir/$1.log" 2>&1
}

unpack() {
  root=$dir/$1.new
  rm -rf "$root"
  mkdir -p "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib" "$root/usr/lib64" "$root/dev" "$root/etc" "$root/tmp" "$root/proc"
  for link in bin sbin lib lib64; do ln -s "usr/$link" "$root/$link"; done
  if [ "$1" = languages ]; then unpack_all "$1"; else unpack_server "$1"; fi
  ldconfig -r "$root"
  mknod -m 666 "$root/dev/null" c 1 3
  mknod -m 666 "$root/dev/random" c 1 8
  mknod -m 666 "$root/dev/urandom" c 1 9
  chmod 1777 "$root/tmp"
  packages_of "$1" >"$root/etc/packages"
  rm -rf "${dir:?}/$1"
  mv "$root" "$dir/$1"
}

unpack_server() {
  for deb in "$dir/debs/$1"/lib*.deb "$dir/debs/$1"/zlib1g*.deb "$dir/debs/$1"/dash_*.deb "$dir/debs/$1"/openssl_*.deb \
    "$dir/debs/$1/${1%%-*}"*.deb; do
    case $deb in */libperl*) ;; *) dpkg -x "$deb" "$root" ;; esac
  done
  rm -rf "$root/usr/share"
}

# No package's own script runs: what those scripts would make, and programs need, is made here.
unpack_all() {
  mkdir -p "$root/etc/ssl/certs"
  : >"$root/etc/ssl/certs/ca-certificates.crt"
  echo 'root:x:0:0::/root:/bin/sh' >"$root/etc/passwd"
  echo 'root:x:0:' >"$root/etc/group"
  echo '127.0.0.1 localhost mta.example.com' >"$root/etc/hosts"
  echo 'hosts: files' >"$root/etc/nsswitch.conf"
  find "$dir/debs/$1" -name '*.deb' -print0 | xargs -0 -n 1 -P 2 sh -c '
    dpkg-deb --fsys-tarfile "$1" | tar -x -C "$0" --keep-directory-symlink --exclude="./usr/share/doc/*" \
      --exclude="./usr/share/man/*" --exclude="./usr/share/locale/*"' "$root"
  for ini in "$root"/usr/share/php[0-9]*/*/*.ini; do
    version=${ini#"$root/usr/share/php"}
    cp "$ini" "$root/etc/php/${version%%-*}/cli/conf.d/$(sed -n 's/^; priority=//p' "$ini")-${ini##*/}"
  done
  for php in "$root"/usr/bin/php[0-9]*.[0-9]; do ln -s "${php##*/}" "$root/usr/bin/php"; done
  for link in java keytool; do ln -s "../lib/jvm/default-java/bin/$link" "$root/usr/bin/$link"; done
}

for name; do
  ! packages_of "$name" | cmp -s - "$dir/$name/etc/packages" || continue
  fetch "$name" || { apt-get -q update >"$dir/update.log" 2>&1 && fetch "$name"; } || {
    tail -n 1 "$dir/$name.log" >&2
    exit 1
  }
  unpack "$name"
  rm -rf "$dir/debs/$name"
done
