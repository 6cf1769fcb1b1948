/** The clients as their users have them: the TypeScript one packed and installed, the Python one on the path. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { withoutProgram } from "./debian-program.ts";
import { CHECKOUT } from "./program.ts";
import { runCli } from "./run-cli.ts";
import { tempDir } from "./temp-dir.ts";
import { RECIPIENT_DOMAIN, SENDER_DOMAIN, type World } from "./world.ts";

const run = promisify(execFile);
const LIMIT_MS = 120_000;

/**
 * Packs the client in a copy of the checkout, and installs the tarball in an empty directory without a registry. Resolves with the
 * directory.
 */
export async function installTypescriptClient(t: TestContext): Promise<string> {
  const dir = tempDir(t);
  const clone = join(dir, "clone");
  cpSync(join(CHECKOUT, "clients/typescript"), join(clone, "clients/typescript"), {
    recursive: true,
    filter: (path) => !path.endsWith("/dist"),
  });
  symlinkSync(join(CHECKOUT, "node_modules"), join(clone, "node_modules"));
  const pack = ["pack", "--silent", "--pack-destination", dir];
  const { stdout } = await run("npm", pack, { cwd: join(clone, "clients/typescript"), timeout: LIMIT_MS });
  const app = join(dir, "app");
  mkdirSync(app);
  writeFileSync(join(app, "package.json"), '{ "name": "app", "private": true }\n');
  const tarball = join(dir, stdout.trim().split("\n").at(-1) ?? "");
  const install = ["install", "--offline", "--no-audit", "--no-fund", "--cache", join(dir, "cache"), tarball];
  await run("npm", install, { cwd: app, timeout: LIMIT_MS });
  return app;
}

/** The environment in which Python finds its client, and writes no compiled files into the checkout. */
export const PYTHON_ENV = { PYTHONPATH: join(CHECKOUT, "clients/python"), PYTHONDONTWRITEBYTECODE: "1" };

/** A `skip` value for `test`. */
export const withoutPython = (): string | false => withoutProgram("python3", "python3");

/** Creates a key that may do everything, by the command line. */
export async function operatorKey({ env }: World): Promise<string> {
  const options = ["--name", "operator", "--permissions", "send,read,operate", "--json"];
  const created = await runCli(["keys", "create", ...options], env);
  assert.equal(created.code, 0, created.stderr);
  return (JSON.parse(created.stdout) as { key: string }).key;
}

/** The environment of a program that uses a client. */
export const useOf = ({ service }: World, key: string): Record<string, string> => ({
  POSTRIDER_URL: service.url,
  POSTRIDER_KEY: key,
  FROM: `hello@${SENDER_DOMAIN}`,
  TO: `delivered@${RECIPIENT_DOMAIN}`,
});
