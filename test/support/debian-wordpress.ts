/**
 * Debian's WordPress in a working directory of debian-clients.ts, with a MariaDB and a web server of its own: PHP's, which serves one
 * request after another. All of it ends with the test.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { ClientDirectory } from "./debian-clients.ts";
import { until } from "./peers.ts";

export interface WordPressOptions {
  title: string;
  /** The email address of the administrator, whose name is `admin`. */
  email: string;
  /** A file for wp-content/mu-plugins. */
  plugin: string;
  /** Lines for wp-config.php. */
  settings: string;
}

export interface WordPress {
  /** Without a path. */
  url: string;
  /** Replaces the lines in wp-config.php. */
  configure(settings: string): void;
}

/** Installs a site in the subdirectory `site` and serves it. */
export async function startWordPress(
  t: TestContext,
  directory: ClientDirectory,
  { title, email, plugin, settings }: WordPressOptions,
): Promise<WordPress> {
  await runSuccessfully(directory, ["cp", "-a", "--link", "/usr/share/wordpress", "site"]);
  const url = await startServer(t, directory);
  // A file with several links: it is replaced, not written.
  rmSync(join(directory.path, "site/wp-config.php"));
  const configure = (lines: string): void =>
    writeFileSync(join(directory.path, "site/wp-config.php"), configuration(url, lines));
  configure(settings);
  mkdirSync(join(directory.path, "site/wp-content/mu-plugins"));
  writeFileSync(join(directory.path, "site/wp-content/mu-plugins/postrider.php"), plugin);
  await startDatabase(t, directory);
  await runSuccessfully(directory, ["php", "-r", INSTALL, "--", title, email]);
  return { url, configure };
}

/** What the page of the installer does. */
const INSTALL = `
define('WP_INSTALLING', true);
require 'site/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install($argv[1], 'admin', $argv[2], false, '', 'the first password');
`;

/** No request leaves the host. */
const configuration = (url: string, settings: string): string => `<?php
define('DB_NAME', 'wordpress');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:' . dirname(__DIR__) . '/db.sock');
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
define('WP_HOME', '${url}');
define('WP_SITEURL', '${url}');
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
${settings}
$table_prefix = 'wp_';
require ABSPATH . 'wp-settings.php';
`;

async function runSuccessfully(directory: ClientDirectory, command: readonly string[]): Promise<void> {
  const { code, output } = await directory.run(command);
  assert.equal(code, 0, output);
}

async function startServer(t: TestContext, directory: ClientDirectory): Promise<string> {
  const fresh = ["-d", "opcache.revalidate_freq=0"];
  const server = start(t, directory, ["php", ...fresh, "-S", "127.0.0.1:0", "-t", "site"]);
  let url: string | undefined;
  await until("the web server", () => {
    [, url] = /Development Server \((http:\S+)\) started/.exec(server.output()) ?? [];
    assert.equal(server.child.exitCode, null, server.output());
    return url !== undefined;
  });
  return url ?? "";
}

/** Everything is small, and nothing is kept: no grants, no network, no durability. */
const DATABASE = `
mkdir db
exec mariadbd --no-defaults --user=root --datadir="$PWD/db" --socket="$PWD/db.sock" --pid-file="$PWD/db.pid" \
  --skip-grant-tables --skip-networking --skip-log-bin --innodb-buffer-pool-size=16M --innodb-log-file-size=8M \
  --innodb-flush-log-at-trx-commit=0 --lc-messages-dir=/usr/share/mysql`;

async function startDatabase(t: TestContext, directory: ClientDirectory): Promise<void> {
  const server = start(t, directory, ["sh", "-ec", DATABASE]);
  const create = ["sh", "-c", 'mariadb --no-defaults --socket="$PWD/db.sock" -e "CREATE DATABASE wordpress"'];
  await until("the database", async () => {
    assert.equal(server.child.exitCode, null, server.output());
    return (await directory.run(create)).code === 0;
  });
}

interface Running {
  child: ChildProcess;
  /** Its standard output and standard error. */
  output(): string;
}

function start(t: TestContext, directory: ClientDirectory, command: readonly string[]): Running {
  const [program = "", ...args] = directory.commandLine(command);
  const env = { PATH: "/usr/sbin:/usr/bin", ...directory.env };
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const ended = once(child, "exit");
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, output: () => output };
}
