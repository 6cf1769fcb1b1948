/** Ten thousand guesses of the link of a status page, over HTTP: none of them finds one. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { RECIPIENT_DOMAIN, sendBody, startWorld } from "../support/world.ts";

const GUESSES = 10_000;
const AT_ONCE = 50;
/** Of a token: the message and the recipient, and then the proof. */
const MESSAGE_BYTES = 20;
const PROOF_BYTES = 16;

test("10,000 guesses of a link to a status page find none", { timeout: 120_000 }, async (t) => {
  // No guess is turned away before it is examined.
  const world = await startWorld(t, { PUBLIC_URL: "https://mail.shop.example", ADDRESS_RATE_PER_SECOND: "0" });
  const answer = await world.post(sendBody({ to: `ann@${RECIPIENT_DOMAIN}`, status_page: true }));
  const { status_url = "" } = (await answer.json()) as { status_url?: string };
  const token = new URL(status_url).pathname.split("/").at(-1) ?? "";
  const base = `${world.service.url}/status/`;
  const headers = { Accept: "application/json" };
  assert.equal((await fetch(base + token, { headers })).status, 200);

  const message = Buffer.from(token, "base64url").subarray(0, MESSAGE_BYTES);
  const guess = (i: number): string => {
    // In every other one the message is known, and the proof is guessed.
    const known = i % 2 === 0 ? message : randomBytes(MESSAGE_BYTES);
    return Buffer.concat([known, randomBytes(PROOF_BYTES)]).toString("base64url");
  };
  const bodies = new Set<string>();
  for (let i = 0; i < GUESSES; i += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, (_, j) => fetch(base + guess(i + j), { headers }));
    for (const response of await Promise.all(batch)) {
      assert.equal(response.status, 404);
      bodies.add(((await response.json()) as { detail: string }).detail);
    }
  }
  assert.deepEqual([...bodies], ["This link is not valid, or it has expired."]);
});
