/** A large backlog, written directly into the spool of a running world. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { HOUR_MS, newMessage } from "./messages.ts";
import { SENDER_DOMAIN, type World } from "./world.ts";

const IN_CI = process.env.CI === "true";

/** Filling a backlog is slow, so these tests run on demand. */
export const SKIP_LOAD = IN_CI || process.env.POSTRIDER_LOAD === "1" ? false : "runs with CI=true or POSTRIDER_LOAD=1";

/** The size of the backlog in the load tests, and of each one where there are several. */
export const BACKLOG = IN_CI ? 20_000 : 5_000;
export const SMALL_BACKLOG = 5_000;

/** Accepted in one batch, the most that one group commit holds. */
const BATCH = 1000;

export interface Load {
  accountId: string;
  /** The domain that signs; any account's works. */
  domainId: string;
  /** The domain of the i-th recipient. */
  domainOf: (i: number) => string;
}

/** A load to one domain, from the account of the world's key. */
export async function loadFor(world: World, domain: string): Promise<Load> {
  const account = await world.service.registry.accountNamed("default");
  assert.ok(account);
  const sender = await world.service.registry.domainNamed(account.id, SENDER_DOMAIN);
  assert.ok(sender);
  return { accountId: account.id, domainId: sender.id, domainOf: () => domain };
}

/** Accepts `count` messages with one recipient each. Returns their ids in order. */
export async function fill(world: World, count: number, load: Load): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const batch = Array.from({ length: Math.min(BATCH, count - ids.length) }, (_, i) =>
      messageTo(load, ids.length + i),
    );
    await Promise.all(batch.map((message) => world.service.spool.accept(message)));
    ids.push(...batch.map(({ id }) => id));
  }
  return ids;
}

function messageTo({ accountId, domainId, domainOf }: Load, i: number) {
  const nowMs = Date.now();
  const domain = domainOf(i);
  return newMessage({
    id: `msg_${randomUUID()}`,
    accountId,
    domainId,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + 48 * HOUR_MS,
    from: `hello@${SENDER_DOMAIN}`,
    recipients: [{ email: `user${i}@${domain}`, domain }],
    content: Buffer.from(
      `From: <hello@${SENDER_DOMAIN}>\r\nTo: <user${i}@${domain}>\r\nSubject: Number ${i}\r\n\r\n${"Hello. ".repeat(50)}\r\n`,
    ),
  });
}

/**
 * Resolves when the message's only recipient has the result, with the total number of pending recipients at that
 * time.
 */
export async function backlogWhen(
  world: World,
  id: string,
  result: "delivered" | "pending" | "failed",
): Promise<number> {
  const { spool } = world.service;
  await new Promise<void>((resolve, reject) => {
    const stop = spool.watch(id, () => void look().catch(reject));
    const look = async (): Promise<void> => {
      const recipient = (await spool.report(id))?.recipients[0];
      if (recipient?.result !== result || recipient.attempts === 0) return;
      stop();
      resolve();
    };
    void look().catch(reject);
  });
  return spool.backlog();
}
