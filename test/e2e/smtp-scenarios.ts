/**
 * Scenarios of one peer's behavior each, from a send to the lookup. Each has its own domain and peer, so all
 * scenarios of a file run concurrently in one world.
 */
import type { TestContext } from "node:test";
import { type RecipientReport, sendToOne } from "../support/api-client.ts";
import { apiTarget, publish, startPeer } from "../support/peers.ts";
import type { Script, ScriptedSmtp } from "../support/scripted-smtp.ts";
import { sendBody, type World } from "../support/world.ts";

export type Scenario = (t: TestContext, world: World) => Promise<void>;

/** Runs all scenarios concurrently; the surrounding test must allow that. */
export async function runScenarios(t: TestContext, world: World, scenarios: Record<string, Scenario>): Promise<void> {
  await Promise.all(Object.entries(scenarios).map(([name, scenario]) => t.test(name, (sub) => scenario(sub, world))));
}

/** A request body with these recipients. */
export const to = (...recipients: string[]) => sendBody({ to: recipients });

/** Sends to one address at the domain. Returns its report after the first attempt. */
export const sendTo = (world: World, domain: string): Promise<RecipientReport> =>
  sendToOne(apiTarget(world), to(`ann@${domain}`));

/** A short form of a recipient's result, for comparisons. */
export const summary = ({ result, reason, smtp }: RecipientReport) => [result, reason, smtp?.code ?? null];

/** A short form of a recipient's result, without the reply's code. */
export const resultAndReason = ({ result, reason }: RecipientReport) => [result, reason];

/** Starts two exchangers for a domain: the first follows the script, the second accepts everything. */
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
