#!/bin/bash
# Gives a Debian root directory Node and npm, and this host's certificate authorities and npm registry: furnish.sh ROOT [NODE].
# NODE is a directory with bin/node and include/node; this host's Node unless given. npm is this host's.
set -euo pipefail
root=$1 node=${2:-$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")}
mkdir -p "$root/usr/local/lib/node_modules" "$root/usr/local/include" "$root/usr/local/etc"
cp -L "$node/bin/node" "$root/usr/local/bin/node"
cp -r "$node/include/node" "$root/usr/local/include/node"
cp -r "$(npm root -g)/npm" "$root/usr/local/lib/node_modules/npm"
ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
printf 'cafile=/etc/ssl/certs/ca-certificates.crt\nregistry=%s\n' "$(npm config get registry)" >"$root/usr/local/etc/npmrc"
