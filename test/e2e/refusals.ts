/** Shared by the tests of rejected requests: a world with small limits in which no message is sent. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { newApiKey } from "../../src/security/api-key-format.ts";
import { sendBody, startWorld, type World } from "../support/world.ts";

export const BYTES_MAX = 65_536;
const RECIPIENTS_MAX = 3;
export const SEND = "/api/sending/send";
export const MB = 1024 * 1024;

/** A valid request body. */
export const json = JSON.stringify(sendBody());

/** Large enough that a few of them fill every buffer on the path. */
export const PIECE = Buffer.alloc(256 * 1024, "x");

/** A world with limits of three recipients and 64 KiB. */
export function startRefusingWorld(t: TestContext): Promise<World> {
  return startWorld(t, { RECIPIENTS_MAX: String(RECIPIENTS_MAX), MESSAGE_BYTES_MAX: String(BYTES_MAX) });
}

export function assertNothingSent({ sink }: World): void {
  assert.deepEqual(
    sink.entries.map(({ subject }) => subject),
    [],
  );
}

export async function defaultAccount({ service }: World): Promise<string> {
  return (await service.registry.accountNamed("default"))?.id ?? assert.fail("no default account");
}

/** Creates a key of another account. */
export async function otherAccountsKey({ service: { registry } }: World): Promise<{ key: string }> {
  const account = await registry.createAccount(`stranger-${Math.random()}`, Date.now());
  assert.ok(account !== "exists");
  const { key, hash, lastFour } = newApiKey();
  await registry.createKey({
    accountId: account.id,
    name: "strange",
    hash,
    lastFour,
    createdAtMs: Date.now(),
    keysMax: 10,
  });
  return { key };
}
