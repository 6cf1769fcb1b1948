/**
 * Puts the whole benchmark into network, mount and process namespaces of its own: only loopback exists there, the
 * resolver is our zone server, the well-known ports are free, and every process ends with the benchmark.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Set inside only, to the directory of this run's files. */
const INSIDE = "POSTRIDER_BENCH_INSIDE";
const CHECKOUT = fileURLToPath(new URL("..", import.meta.url));

/** So that its own garbage is never collected while a message is on its way: that took up to 30 ms of single messages. */
const NO_COLLECTIONS = ["--min-semi-space-size=256", "--max-semi-space-size=256"];

/** Where the zone server answers, and what resolv.conf says inside. */
export const DNS_HOST = "127.0.0.53";

/** Logs and counters are in memory, so that no side waits for the disk but for its mail. */
const MEMORY_DIR = "/dev/shm";

/** A new directory in memory, writable for all; it is gone with the namespaces. */
export function memoryDir(name: string): string {
  const dir = mkdtempSync(join(MEMORY_DIR, `${name}-`));
  chmodSync(dir, 0o777);
  return dir;
}

/** The directory of this run's files, inside; null outside. */
export const insideDir = (): string | null => process.env[INSIDE] ?? null;

/** Runs this same command inside; returns its exit code. When this process is told to end, everything inside ends. */
export async function runInside(args: readonly string[], dir: string): Promise<number> {
  const unshare = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const command = [process.execPath, ...NO_COLLECTIONS, "--import", "tsx", "bench/run.ts", ...args];
  const child = spawn("unshare", [...unshare, ...command], {
    cwd: CHECKOUT,
    env: { ...process.env, [INSIDE]: dir },
    stdio: "inherit",
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill("SIGKILL"));
  const [code] = await once(child, "exit");
  return code ?? 1;
}

/** Prepares the namespaces, from inside. */
export function setUpNamespace(): void {
  execFileSync("ip", ["link", "set", "lo", "up"]);
  execFileSync("mount", ["-t", "tmpfs", "tmpfs", MEMORY_DIR]);
  const resolvConf = join(memoryDir("dns"), "resolv.conf");
  writeFileSync(resolvConf, `nameserver ${DNS_HOST}\n`);
  execFileSync("mount", ["--bind", resolvConf, "/etc/resolv.conf"]);
  // A mail server that opens a connection for each message would otherwise run out of ports and measure that.
  writeFileSync("/proc/sys/net/ipv4/ip_local_port_range", "10000 65000");
  writeFileSync("/proc/sys/net/ipv4/tcp_tw_reuse", "1");
}
