/**
 * Complaints without a recipient's tag, to the whole service: one that a known feedback loop has signed suppresses the address, with its
 * key in DNS; what an attacker makes of it, or without it, changes nothing.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { until } from "../support/peers.ts";
import { activateReturnPath } from "../support/return-path.ts";
import { KEY_NAME, type LoopKey, loopKey, loopReport, signedMail } from "../support/signed-report.ts";
import { SubmissionClient } from "../support/submission-client.ts";
import { bindVerified, RECIPIENT_DOMAIN, SENDER_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

const [ANN, BOB] = [`ann@${RECIPIENT_DOMAIN}`, `bob@${RECIPIENT_DOMAIN}`];
const OTHER_DOMAIN = "other.example";
const complaintsOf = (domain: string): string => `complaints@bounces.${domain}`;
const TAGS = "v=1; a=rsa-sha256; c=relaxed/simple; d=senderscore.net; s=test; h=from:to:subject";

/** A message to Ann and Bob. Returns its id, and the fields that a report without addresses repeats. */
async function sent(world: World): Promise<{ id: string; original: string[] }> {
  // As the message's own: not after its acceptance.
  const date = new Date().toUTCString();
  const { id } = (await (await world.post(sendBody({ to: [ANN, BOB] }))).json()) as { id: string };
  const report = (await (await world.lookUp(id, "?wait=20")).json()) as { message_id: string };
  assert.ok(
    world.sink.entries.some(({ message_id }) => message_id === report.message_id),
    "it has not arrived",
  );
  return { id, original: [`Message-ID: ${report.message_id}`, `Date: ${date}`] };
}

async function arrives(t: TestContext, { service }: World, to: string, content: Buffer | string): Promise<void> {
  const client = await SubmissionClient.open(t, service.inboundPort ?? assert.fail("it does not listen"));
  await client.command("EHLO mx.example");
  assert.match(await client.send({ from: "fbl@bounce.mailstream.senderscore.net", to: [to], content }), /^250 /);
  client.close();
}

async function applied({ service }: World, outcome: string): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(new RegExp(`^postrider_incoming_applied_total\\{outcome="${outcome}"\\} (\\d+)$`, "m").exec(text)?.[1]);
}

async function suppressed({ service }: World): Promise<string[][]> {
  const nowMs = Date.now() + 1000;
  const { addresses: listed } = await service.spool.suppressions({
    accountId: "acc_default",
    after: 1,
    nowMs,
    limit: 10,
  });
  return listed.map(({ email, cause }) => [email, cause]);
}

test("complaints that a feedback loop has signed", { timeout: 120_000 }, async (t) => {
  const world = await startWorld(t, { INBOUND_PORT: "0" });
  await bindVerified({ ...world, certsDir: world.env.CERTS_DIR ?? "" }, OTHER_DOMAIN);
  for (const name of [SENDER_DOMAIN, OTHER_DOMAIN]) await activateReturnPath(world, name);
  const key = loopKey();
  world.zone.set(KEY_NAME, "TXT", [key.record]);
  const to = complaintsOf(SENDER_DOMAIN);
  const { id, original } = await sent(world);
  const about = (recipient: string, options: { from?: string; to?: string } = {}): Buffer =>
    loopReport({ to, recipient, original, ...options });
  const signed = (mail: Buffer, options: { key?: LoopKey; tags?: string } = {}): Buffer =>
    signedMail(mail, { key, ...options });

  await t.test("change nothing if they are forged", async (t) => {
    const forgeries: [string, Buffer | string][] = [
      [to, about(ANN)],
      [to, signed(about(ANN), { key: loopKey() })],
      [to, signed(about(ANN)).toString().replaceAll(ANN, BOB)],
      [to, signed(about(ANN), { tags: `${TAGS}; l=100` })],
      [to, signed(about(ANN), { tags: `${TAGS}; x=${Math.floor(Date.now() / 1000) - 60}` })],
      [to, signed(about(ANN, { from: "feedback@other.example" }))],
      [to, signed(about(ANN, { to: complaintsOf(OTHER_DOMAIN) }))],
      [complaintsOf(OTHER_DOMAIN), signed(about(ANN))],
    ];
    for (const [recipient, content] of forgeries) await arrives(t, world, recipient, content);
    await until("all are read", async () => (await applied(world, "unverified")) === forgeries.length);
    assert.deepEqual(await suppressed(world), []);
  });

  await t.test("suppress the recipient that they name, and no other", async (t) => {
    await arrives(t, world, to, signed(about(ANN)));
    await until("it is read", async () => (await applied(world, "complained")) === 1);
    assert.deepEqual(await suppressed(world), [[ANN, "complaint"]]);
    const { recipients } = (await (await world.lookUp(id)).json()) as {
      recipients: { complaint?: { type: string } }[];
    };
    assert.deepEqual(
      recipients.map(({ complaint }) => complaint?.type),
      ["abuse", undefined],
    );
  });
});
