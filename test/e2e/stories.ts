/**
 * Stories: one test each about what a peer says or does, from a send to the lookup. Each has a domain and a peer of its
 * own, so that all of a file run side by side in one world.
 */
import type { TestContext } from "node:test";
import { type LookedRecipient, sendToOne } from "../support/front-door.ts";
import { doorOf, publish, startPeer } from "../support/peers.ts";
import type { Script, ScriptedSmtp } from "../support/scripted-smtp.ts";
import { letter, type World } from "../support/world.ts";

export type Story = (t: TestContext, world: World) => Promise<void>;

/** Runs all of them at once; the test around them must allow that. */
export async function tell(t: TestContext, world: World, told: Record<string, Story>): Promise<void> {
  await Promise.all(Object.entries(told).map(([name, story]) => t.test(name, (sub) => story(sub, world))));
}

/** A letter to these recipients. */
export const to = (...recipients: string[]) => letter({ to: recipients });

/** Sends to one address at the domain; what it came to after the first attempt. */
export const sendTo = (world: World, domain: string): Promise<LookedRecipient> =>
  sendToOne(doorOf(world), to(`ann@${domain}`));

/** What a recipient came to, short enough to compare. */
export const inShort = ({ result, reason, smtp }: LookedRecipient) => [result, reason, smtp?.code ?? null];

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
