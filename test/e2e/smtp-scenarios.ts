/**
 * Stories: one test each about what a peer says or does, from a send to the lookup. Each has a domain and a peer of its
 * own, so that all of a file run side by side in one world.
 */
import type { TestContext } from "node:test";
import { type RecipientReport, sendToOne } from "../support/api-client.ts";
import { apiTarget, publish, startPeer } from "../support/peers.ts";
import type { Script, ScriptedSmtp } from "../support/scripted-smtp.ts";
import { sendBody, type World } from "../support/world.ts";

export type Scenario = (t: TestContext, world: World) => Promise<void>;

/** Runs all of them at once; the test around them must allow that. */
export async function runScenarios(t: TestContext, world: World, scenarios: Record<string, Scenario>): Promise<void> {
  await Promise.all(Object.entries(scenarios).map(([name, scenario]) => t.test(name, (sub) => scenario(sub, world))));
}

/** A letter to these recipients. */
export const to = (...recipients: string[]) => sendBody({ to: recipients });

/** Sends to one address at the domain; what it came to after the first attempt. */
export const sendTo = (world: World, domain: string): Promise<RecipientReport> =>
  sendToOne(apiTarget(world), to(`ann@${domain}`));

/** What a recipient came to, short enough to compare. */
export const summary = ({ result, reason, smtp }: RecipientReport) => [result, reason, smtp?.code ?? null];

/** Two exchangers for a domain: the first follows the script, the second takes everything. */
export async function startPair(
  t: TestContext,
  world: World,
  { domain, script }: { domain: string; script: Script },
): Promise<{ first: ScriptedSmtp; second: ScriptedSmtp }> {
  const first = await startPeer(t, world, { script });
  const second = await startPeer(t, world);
  publish(world, domain, [first.host], [second.host]);
  return { first, second };
}
