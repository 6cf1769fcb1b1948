/** Debian's pebble: an ACME server that rejects half of all nonces, and waits before it validates a name. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { get } from "node:https";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { withoutProgram } from "./debian-program.ts";
import { freePort } from "./postgres/server.ts";
import { certificateAuthority } from "./self-signed.ts";
import { tempDir } from "./temp-dir.ts";

/** A `skip` value of tests. */
export const withoutPebble = (): string | false => withoutProgram("pebble", "pebble");

export interface PebbleOptions {
  /** Where names are looked up: `host:port`. */
  dnsServer: string;
  /** Where challenges are answered. */
  httpPort: number;
  tlsPort?: number;
  /** Of the certificates. */
  validitySeconds: number;
}

export interface Pebble {
  directory: string;
  /** PEM, and its file: what verifies the server itself. */
  authority: string;
  authorityFile: string;
  /** PEM: the root of the certificates that it issues. */
  root(): Promise<string>;
}

const HOST = "127.0.0.1";
const READY_WITHIN_MS = 20_000;
const FAULTS = { PEBBLE_WFE_NONCEREJECT: "50", PEBBLE_VA_SLEEPTIME: "2", PEBBLE_AUTHZREUSE: "0" };

/** Starts it, and stops it after the test. */
export async function startPebble(t: TestContext, options: PebbleOptions): Promise<Pebble> {
  const { dnsServer, httpPort, tlsPort = 1, validitySeconds: certificateValidityPeriod } = options;
  const dir = tempDir(t);
  const { cert: authority, issue } = certificateAuthority("Pebble's own");
  const { key, cert } = issue("localhost");
  const file = (name: string, text: string): string => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };
  const [port, managementPort] = [await freePort(), await freePort()];
  const authorityFile = file("authority.pem", authority);
  const pebble = {
    listenAddress: `${HOST}:${port}`,
    managementListenAddress: `${HOST}:${managementPort}`,
    certificate: file("cert.pem", cert),
    privateKey: file("key.pem", key),
    httpPort,
    tlsPort,
    certificateValidityPeriod,
  };
  const config = file("config.json", JSON.stringify({ pebble }));
  const env = { PATH: process.env.PATH, ...FAULTS };
  const child = spawn("pebble", ["-config", config, "-dnsserver", dnsServer], { env, stdio: "ignore" });
  const ended = once(child, "close");
  t.after(async () => {
    child.kill();
    await ended;
  });
  const url = `https://localhost:${port}/dir`;
  await untilUp(() => read(url, authority));
  return {
    directory: url,
    authority,
    authorityFile,
    root: () => read(`https://localhost:${managementPort}/roots/0`, authority),
  };
}

async function untilUp(attempt: () => Promise<unknown>): Promise<void> {
  const endMs = Date.now() + READY_WITHIN_MS;
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (Date.now() > endMs) throw error;
      await delay(50);
    }
  }
}

async function read(url: string, ca: string): Promise<string> {
  const request = get(url, { ca, agent: false });
  const [response] = await once(request, "response");
  return Buffer.concat(await response.toArray()).toString();
}
