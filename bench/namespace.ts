/**
 * Runs the benchmark in its own network, mount and process namespaces: only loopback exists, the resolver is the
 * benchmark's zone server, the well-known ports are free, and every process ends with the benchmark.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Set only inside the namespaces, to the directory of this run's files. */
const INSIDE = "POSTRIDER_BENCH_INSIDE";
const CHECKOUT = fileURLToPath(new URL("..", import.meta.url));

/**
 * Prevents garbage collections of the benchmark while a message is in transit; they added up to 30 ms to single
 * messages.
 */
const NO_COLLECTIONS = ["--min-semi-space-size=256", "--max-semi-space-size=256"];

/** The address of the zone server, in resolv.conf inside the namespaces. */
export const DNS_HOST = "127.0.0.53";

/** Logs and counters are in memory, to leave the disk to the messages. */
const MEMORY_DIR = "/dev/shm";

/** Creates a world-writable directory in memory; it disappears with the namespaces. */
export function memoryDir(name: string): string {
  const dir = mkdtempSync(join(MEMORY_DIR, `${name}-`));
  chmodSync(dir, 0o777);
  return dir;
}

/** The directory of this run's files inside the namespaces; null outside. */
export const insideDir = (): string | null => process.env[INSIDE] ?? null;

/** Runs this command inside the namespaces and returns its exit code. Ending this process ends everything inside. */
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
  // Otherwise a mail server that opens a connection per message runs out of ports, and that is measured.
  writeFileSync("/proc/sys/net/ipv4/ip_local_port_range", "10000 65000");
  writeFileSync("/proc/sys/net/ipv4/tcp_tw_reuse", "1");
}
