/**
 * Mail exchangers next to a world's sink: each has its own loopback address and uses the one port that the world's
 * service delivers to.
 */

import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { ApiTarget } from "./api-client.ts";
import { type ScriptedSmtp, type ScriptedSmtpOptions, startScriptedSmtp } from "./scripted-smtp.ts";
import type { World } from "./world.ts";

const FIRST_HOST = 10;
let hosts = 0;

/** Allocates a loopback address without a listener. */
export function freeAddress(): string {
  hosts += 1;
  return `127.0.${Math.floor(hosts / 200)}.${FIRST_HOST + (hosts % 200)}`;
}

/** Starts a scripted peer at the world's SMTP port; it stops with the test. */
export async function startPeer(
  t: TestContext,
  world: World,
  options: Omit<ScriptedSmtpOptions, "host" | "port"> = {},
): Promise<ScriptedSmtp> {
  const peer = await startScriptedSmtp({ ...options, host: freeAddress(), port: Number(world.env.SMTP_PORT) });
  t.after(() => peer.close());
  return peer;
}

/** Publishes hosts as the domain's mail exchangers, most preferred first, each with its addresses. */
export function publish(world: World, domain: string, ...exchangers: string[][]): void {
  const names = exchangers.map((_, index) => `mx${index + 1}.${domain}`);
  world.zone.set(
    domain,
    "MX",
    names.map((name, index) => `${(index + 1) * 10} ${name}.`),
  );
  for (const [index, addresses] of exchangers.entries()) world.zone.set(names[index] ?? "", "A", addresses);
}

/** Starts a peer that is the domain's only mail exchanger. */
export async function startExchanger(
  t: TestContext,
  world: World,
  { domain, ...options }: { domain: string } & Omit<ScriptedSmtpOptions, "host" | "port">,
): Promise<ScriptedSmtp> {
  const peer = await startPeer(t, world, options);
  publish(world, domain, [peer.host]);
  return peer;
}

export function apiTarget(world: World): ApiTarget {
  return { url: world.service.url, key: world.key };
}

const PATIENCE_MS = 120_000;

/** Waits for an event outside the service, such as at a peer. Throws on a timeout. */
export async function until(what: string, happened: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpMs = Date.now() + PATIENCE_MS;
  while (!(await happened())) {
    if (Date.now() > giveUpMs) throw new Error(`waited too long for: ${what}`);
    await delay(10);
  }
}
