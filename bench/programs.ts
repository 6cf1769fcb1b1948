/** The Debian programs that the benchmark needs: checked before anything starts, and installed only on request. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import type { Options } from "./options.ts";

/** Package names by the program that indicates them. */
const LOAD: Readonly<Record<string, string>> = {
  wrk: "wrk",
  "smtp-sink": "postfix",
  ip: "iproute2",
  openssl: "openssl",
  unshare: "util-linux",
};
const PEERS: Readonly<Record<string, string>> = { rspamd: "rspamd", opendkim: "opendkim" };

/** Debian starts a service with its package unless this policy forbids it. */
const START_POLICY = "/usr/sbin/policy-rc.d";

/** The packages missing for these options. */
export function missingPackages({ peer }: Options): string[] {
  const needed = { ...LOAD, ...(peer === null ? {} : PEERS) };
  const lacks = (program: string): boolean => spawnSync("sh", ["-c", `command -v ${program}`]).status !== 0;
  return Object.entries(needed).flatMap(([program, name]) => (lacks(program) ? [name] : []));
}

/** Installs the packages without starting any service. Throws if apt fails. */
export function install(packages: readonly string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const run = (command: string, args: readonly string[], input = ""): void =>
    void execFileSync(command, args, { env, input, stdio: ["pipe", "ignore", "inherit"] });
  const noPolicy = !existsSync(START_POLICY);
  if (noPolicy) writeFileSync(START_POLICY, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    run("debconf-set-selections", [], "postfix postfix/main_mailer_type select No configuration\n");
    run("apt-get", ["-q", "update"]);
    run("apt-get", ["-q", "-y", "--no-install-recommends", "install", ...packages]);
  } finally {
    if (noPolicy) rmSync(START_POLICY);
  }
}
