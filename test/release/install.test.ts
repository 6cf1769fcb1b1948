/**
 * install.sh from the package's files, in a root directory of its own: this host's, with what is written kept in memory. npm and systemctl
 * are stand-ins. test/sysadmin/fresh-debian.sh has the true ones.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { packageUnit } from "../../ops/release/npm-package.ts";
import { CHECKOUT } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

const OVERLAY = readFileSync("/proc/filesystems", "utf8").includes("\toverlay\n");
const skip = process.getuid?.() !== 0 || !OVERLAY ? "root and a kernel with overlayfs are needed" : false;

/** Prints its version, or else the environment and the user that it runs with. */
const PROGRAM = `if (process.argv[2] === "--version") console.log("1.2.3");
else console.log(JSON.stringify({ env: process.env, uid: process.getuid(), args: process.argv.slice(2) }));`;

/** Runs shell commands in the root directory, where /package has install.sh and a package that \`npm install\` copies. */
function onHost(dir: string, commands: string): string {
  const files = join(dir, "package");
  mkdirSync(join(files, "postrider/ops"), { recursive: true });
  mkdirSync(join(files, "postrider/dist"));
  writeFileSync(join(files, "postrider/dist/cli.js"), PROGRAM);
  writeFileSync(
    join(files, "postrider/ops/postrider.service"),
    packageUnit(readFileSync(join(CHECKOUT, "ops/postrider.service"), "utf8")),
  );
  for (const name of ["install.sh", "command.sh"])
    copyFileSync(join(CHECKOUT, "ops", name), join(files, "postrider/ops", name));
  writeFileSync(join(files, "npm"), "#!/bin/sh\nmkdir -p node_modules\ncp -r /package/postrider node_modules/\n", {
    mode: 0o755,
  });
  writeFileSync(join(files, "systemctl"), "#!/bin/sh\n", { mode: 0o755 });
  writeFileSync(
    join(files, "commands"),
    `set -eu
umask 077
! getent passwd postrider >/dev/null || userdel postrider
rm -rf /opt/postrider /var/lib/postrider /etc/postrider.env
install_sh() { sh /package/postrider/ops/install.sh "$@" >&2; }
${commands}`,
  );
  const mounts = `set -eu
mkdir "$1/top"
mount -t tmpfs tmpfs "$1/top"
cd "$1/top"
mkdir changes work root
mount -t overlay overlay -o lowerdir=/,upperdir=changes,workdir=work root
for place in dev proc; do mount --rbind "/$place" "root/$place"; done
cp -r "$1/package" root/package
exec chroot root /bin/sh /package/commands`;
  const { status, stdout, stderr } = spawnSync("unshare", ["--mount", "sh", "-c", mounts, "sh", dir], {
    encoding: "utf8",
    env: { PATH: `/package:${dirname(process.execPath)}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin` },
  });
  assert.equal(status, 0, stderr);
  return stdout;
}

const HAS_USER = 'if getent passwd postrider >/dev/null; then echo "$1 yes"; else echo "$1 no"; fi';

test("remove --purge deletes the user that install has created, and no other", { skip }, (t) => {
  const created = onHost(
    tempDir(t),
    `has_user() { ${HAS_USER}; }
has_user before
install_sh install
install_sh install
has_user installed
install_sh remove
has_user removed
test -d /var/lib/postrider
install_sh install
install_sh remove --purge
has_user purged
test ! -e /var/lib/postrider && test ! -e /etc/postrider.env && test ! -e /opt/postrider`,
  );
  assert.equal(created, "before no\ninstalled yes\nremoved yes\npurged no\n");
  for (const before of [
    "useradd --system --gid nogroup postrider",
    "groupadd --system postrider",
    "useradd --system postrider",
  ]) {
    const kept = onHost(
      tempDir(t),
      `has_user() { ${HAS_USER}; }
${before}
install_sh install
stat -c %U /var/lib/postrider
getent passwd postrider >/tmp/installed
install_sh remove --purge
getent passwd postrider | cmp - /tmp/installed
test ! -e /var/lib/postrider
has_user purged`,
    );
    assert.equal(kept, "postrider\npurged yes\n", before);
  }
});

test("the command reads the settings without running them, and runs as the service's user", { skip }, (t) => {
  const settings = [
    "# A comment with PLAIN=no",
    "PLAIN=one two",
    "SHELL_TEXT=$(touch /tmp/run) `touch /tmp/run` $HOME; touch /tmp/run",
    'QUOTED="a b"',
    "SINGLE='$c'",
    "EMPTY=",
    "no setting",
    "  ; another comment",
    " \tBLANKS =  a b \t",
    "RETURN=c d\r",
    '  QUOTED_BLANKS=" e "  \r',
    "CONTINUED=one\\",
    "INSIDE=two\\",
    "INSIDE=three",
    "OPEN='f",
    "2BAD=g",
    "BAD-NAME=h",
    "LAST=without a line feed",
  ].join("\n");
  const dir = tempDir(t);
  writeFileSync(join(dir, "settings"), settings);
  const printed = onHost(
    dir,
    `install_sh install
cp /package/settings /etc/postrider.env
chmod 755 /package
id -u postrider
postrider queue list "a b" 2>/tmp/warnings
cat /tmp/warnings
test ! -e /tmp/run`.replace("/package/settings", join(dir, "settings")),
  );
  const [uid, line = "", ...warnings] = printed.trimEnd().split("\n");
  const { env, ...rest } = JSON.parse(line);
  assert.deepEqual(rest, { uid: Number(uid), args: ["queue", "list", "a b"] });
  assert.deepEqual(
    ["PLAIN", "SHELL_TEXT", "QUOTED", "SINGLE", "EMPTY", "BLANKS", "RETURN", "QUOTED_BLANKS", "LAST", "HOME"].map(
      (name) => env[name],
    ),
    [
      "one two",
      "$(touch /tmp/run) `touch /tmp/run` $HOME; touch /tmp/run",
      "a b",
      "$c",
      "",
      "a b",
      "c d",
      " e ",
      "without a line feed",
      "/var/lib/postrider",
    ],
  );
  for (const name of ["CONTINUED", "INSIDE", "OPEN", "2BAD", "BAD-NAME"]) assert.equal(env[name], undefined, name);
  assert.deepEqual(
    warnings.map((warning) => /^postrider: \/etc\/postrider\.env, line (\d+): ignored/.exec(warning)?.[1]),
    ["7", "12", "15", "16", "17"],
  );
});
