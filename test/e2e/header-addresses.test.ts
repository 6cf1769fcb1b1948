/**
 * A local part outside ASCII in the header, of an address that is not the recipient's: whichever way the message came in, hosts without
 * SMTPUTF8 get it with a header in ASCII, validly signed; others get it as it is.
 */
import assert from "node:assert/strict";
import { isAscii } from "node:buffer";
import { type TestContext, test } from "node:test";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { mailauthResolver } from "../../src/dns/stub-resolver.ts";
import { headerField } from "../../src/testing/sink/header.ts";
import { pollUntil, send, sendToOne } from "../support/api-client.ts";
import { apiTarget, startExchanger, until } from "../support/peers.ts";
import { email, ResendApi } from "../support/resend-api.ts";
import { activateReturnPath } from "../support/return-path.ts";
import type { RecordedTransaction } from "../support/scripted-smtp.ts";
import { SubmissionClient } from "../support/submission-client.ts";
import { SENDER_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

const OTHER = "jörg@elsewhere.example";

/** Each sends one message to this address, which names OTHER in Cc and Reply-To. */
const WAYS_IN: Record<string, (world: World, to: string, client: SubmissionClient) => Promise<unknown>> = {
  HTTP: (world, to) => send(apiTarget(world), sendBody({ to, cc: `Jörg <${OTHER}>`, reply_to: OTHER })),
  Resend: (world, to) => new ResendApi(world).send(email({ to, cc: `Jörg <${OTHER}>`, reply_to: OTHER })),
  async SMTP(_world, to, client) {
    const header = [
      `From: Shop <hello@${SENDER_DOMAIN}>`,
      `Sender: büro@${SENDER_DOMAIN}`,
      `To: ${to}`,
      `Cc: Jörg <${OTHER}>`,
      `Reply-To: ${OTHER}`,
      `Resent-From: büro@${SENDER_DOMAIN}`,
      `Resent-To: ${OTHER}`,
      "Subject: Grüße",
      "Content-Type: text/plain; charset=utf-8",
    ];
    assert.match(await client.send({ to: [to], content: `${header.join("\r\n")}\r\n\r\nSchöne Grüße\r\n` }), /^250 /);
  },
};

/** By what their hosts offer. */
const DOMAINS: Record<string, string[]> = {
  "eight.example": ["8BITMIME", "PIPELINING"],
  "seven.example": [],
  // Not valid (RFC 6531 §3.1), but then no address needs SMTPUTF8 in the envelope.
  "odd.example": ["SMTPUTF8"],
};

async function assertInAscii(world: World, { message, mail, rcptTo }: RecordedTransaction): Promise<void> {
  const end = message.indexOf("\r\n\r\n");
  assert.ok(isAscii(message.subarray(0, end)), message.toString());
  assert.doesNotMatch(mail, /SMTPUTF8/);
  assert.ok(isAscii(message) || mail.includes("BODY=8BITMIME"), "the body is declared");
  for (const name of ["Cc", "Reply-To"]) {
    assert.match(headerField(message, name) ?? "", /jörg@elsewhere\.example +:;/u, name);
  }
  assert.match(headerField(message, "From") ?? "", /<hello@shop\.example>/);
  assert.match(headerField(message, "To") ?? "", new RegExp(rcptTo[0] ?? ""));
  const { results } = await dkimVerify(message, { resolver: mailauthResolver(world.resolver) });
  assert.deepEqual(
    results.map(({ status }) => status.result),
    ["pass"],
  );
}

async function startSite(t: TestContext): Promise<{ world: World; client: SubmissionClient }> {
  const world = await startWorld(t, { SUBMISSION_PORT: "0", SUBMISSION_ALLOW_PLAINTEXT: "true" });
  const client = await SubmissionClient.open(t, world.service.submissionPort ?? assert.fail("it does not listen"));
  assert.match(await client.authenticate(world.key), /^235 /);
  return { world, client };
}

test("hosts without SMTPUTF8 get the message with a header in ASCII", { timeout: 60_000 }, async (t) => {
  const { world, client } = await startSite(t);
  for (const [domain, capabilities] of Object.entries(DOMAINS)) {
    const peer = await startExchanger(t, world, { domain, capabilities });
    for (const [name, sendOne] of Object.entries(WAYS_IN)) {
      await t.test(`${name} to a host that offers ${capabilities.join(", ") || "nothing"}`, async () => {
        peer.transactions.length = 0;
        await sendOne(world, `ann@${domain}`, client);
        await until("the message", () => peer.transactions.length === 1);
        await assertInAscii(world, peer.transactions[0] ?? assert.fail());
      });
    }
  }
});

test("a host with SMTPUTF8 gets it as it is", async (t) => {
  const { world, client } = await startSite(t);
  const peer = await startExchanger(t, world, { domain: "full.example", capabilities: ["8BITMIME", "SMTPUTF8"] });
  for (const [at, sendOne] of Object.values(WAYS_IN).entries()) {
    await sendOne(world, "ann@full.example", client);
    await until("the message", () => peer.transactions.length === at + 1);
    const { message, mail } = peer.transactions[at] ?? assert.fail();
    assert.match(mail, /SMTPUTF8/);
    assert.match(headerField(message, "Cc") ?? "", /<jörg@elsewhere\.example>/u);
  }
});

for (const path of ["with", "without"]) {
  test(`another recipient at the domain that needs SMTPUTF8 fails alone, ${path} a return path`, async (t) => {
    const world = await startWorld(t);
    if (path === "with") await activateReturnPath(world);
    const peer = await startExchanger(t, world, { domain: "eight.example", capabilities: ["8BITMIME"] });
    const to = ["ann@eight.example", "jörg@eight.example", "bob@eight.example"];
    const id = await send(apiTarget(world), sendBody({ to }));
    const { recipients } = await pollUntil(apiTarget(world), id, ({ result }) => result !== "pending");
    assert.deepEqual(
      recipients.map(({ result, reason }) => [result, reason]),
      [
        ["delivered", null],
        ["failed", "needs_smtputf8"],
        ["delivered", null],
      ],
    );
    assert.deepEqual(peer.transactions.flatMap(({ rcptTo }) => rcptTo).toSorted(), [
      "ann@eight.example",
      "bob@eight.example",
    ]);
    assert.equal(peer.transactions.length, path === "with" ? 2 : 1);
  });
}

test("a sender's address that is not ASCII still needs SMTPUTF8", async (t) => {
  const world = await startWorld(t);
  await startExchanger(t, world, { domain: "eight.example", capabilities: ["8BITMIME"] });
  const sent = await sendToOne(apiTarget(world), sendBody({ to: "ann@eight.example", from: `büro@${SENDER_DOMAIN}` }));
  assert.deepEqual([sent.result, sent.reason], ["failed", "needs_smtputf8"]);
});
