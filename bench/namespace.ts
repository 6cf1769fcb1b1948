/**
 * Puts the whole benchmark into network, mount and process namespaces of its own: only loopback exists there, the
 * resolver is our zone server, the well-known ports are free, and every process ends with the benchmark.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const INSIDE = "POSTRIDER_BENCH_INSIDE";
const CHECKOUT = fileURLToPath(new URL("..", import.meta.url));

/** Where the zone server answers, and what resolv.conf says inside. */
export const DNS_HOST = "127.0.0.53";

export const isInside = (): boolean => process.env[INSIDE] === "1";

/** Runs this same command inside; returns its exit code. */
export async function runInside(args: readonly string[]): Promise<number> {
  const unshare = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const command = [process.execPath, "--import", "tsx", "bench/run.ts", ...args];
  const child = spawn("unshare", [...unshare, ...command], {
    cwd: CHECKOUT,
    env: { ...process.env, [INSIDE]: "1" },
    stdio: "inherit",
  });
  const [code] = await once(child, "exit");
  return code ?? 1;
}

/** Prepares the namespaces, from inside. */
export function setUpNamespace(): void {
  execFileSync("ip", ["link", "set", "lo", "up"]);
  const resolvConf = join(mkdtempSync(join(tmpdir(), "postrider-bench-dns-")), "resolv.conf");
  writeFileSync(resolvConf, `nameserver ${DNS_HOST}\n`);
  execFileSync("mount", ["--bind", resolvConf, "/etc/resolv.conf"]);
  // A mail server that opens a connection for each message would otherwise run out of ports and measure that.
  writeFileSync("/proc/sys/net/ipv4/ip_local_port_range", "10000 65000");
  writeFileSync("/proc/sys/net/ipv4/tcp_tw_reuse", "1");
}
