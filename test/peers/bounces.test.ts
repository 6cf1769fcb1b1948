/**
 * Debian's Postfix, Exim and OpenSMTPD accept messages that they cannot deliver, and return them: each bounce is read as what its
 * cause was. With POSTRIDER_BOUNCES_DIR, what came back is written there, as test/message/feedback/bounces/ has it.
 */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createTransport } from "nodemailer";
import type { Bounce } from "../../src/message/feedback/bounce.ts";
import { readFeedback } from "../../src/message/feedback/feedback.ts";
import {
  eximBouncer,
  opensmtpdBouncer,
  postfixBouncer,
  RELAY_PORT,
  type StartBouncer,
} from "../support/bounce-servers.ts";
import { anonymous, RELAY_HOST, SENDER, startBounceSite } from "../support/bounce-site.ts";
import { missingPeers } from "../support/debian-peers.ts";

const skip = missingPeers();

/** Permanence and blame of each recipient's failure. */
const CAUSES: Readonly<Record<string, "blamed" | "permanent" | "temporary">> = {
  "unknown@customers.example": "blamed",
  "unknown-plain@customers.example": "blamed",
  "full@customers.example": "temporary",
  "full-for-now@customers.example": "temporary",
  "disabled@customers.example": "permanent",
  "greylisted@customers.example": "temporary",
  "relay@customers.example": "permanent",
  "blocked@customers.example": "permanent",
  "large@customers.example": "permanent",
  "spam@customers.example": "permanent",
  "ann@nowhere.example": "permanent",
  "ann@refused.example": "temporary",
};

const SERVERS: readonly [string, StartBouncer][] = [
  ["postfix", postfixBouncer],
  ["exim", eximBouncer],
  ["opensmtpd", opensmtpdBouncer],
];

/** They give up after 12 s. */
const PATIENCE_MS = 60_000;

const found = ({ permanent, blamesAddress }: Bounce): string =>
  blamesAddress ? "blamed" : permanent ? "permanent" : "temporary";

async function submit(recipient: string): Promise<void> {
  const transport = createTransport({ host: RELAY_HOST, port: RELAY_PORT, secure: false, ignoreTLS: true });
  const [name] = recipient.split("@");
  await transport.sendMail({
    envelope: { from: SENDER, to: [recipient] },
    raw: [
      `From: Shop <${SENDER}>`,
      `To: ${recipient}`,
      "Subject: Your order",
      `Message-ID: <order-${name}@shop.example>`,
    ]
      .concat("", "Thank you.", "")
      .join("\r\n"),
  });
  transport.close();
}

function store(server: string, messages: readonly Buffer[]): void {
  const dir = process.env.POSTRIDER_BOUNCES_DIR;
  if (dir === undefined) return;
  mkdirSync(join(dir, server), { recursive: true });
  for (const [number, message] of messages.entries()) {
    writeFileSync(join(dir, server, `${number + 1}.eml`), anonymous(message).replaceAll("\r\n", "\n"), "latin1");
  }
}

for (const [name, start] of SERVERS) {
  test(`bounces of ${name}`, { timeout: 120_000, skip }, async (t) => {
    const site = await startBounceSite();
    t.after(() => site.close());
    await start(t, site.dnsHost);
    for (const recipient of Object.keys(CAUSES)) await submit(recipient);

    const bounces = () =>
      site.returned.flatMap(({ message }) => {
        const feedback = readFeedback(message);
        return feedback.type === "bounced" ? feedback.bounces : [];
      });
    const giveUpMs = Date.now() + PATIENCE_MS;
    while (bounces().length < Object.keys(CAUSES).length && Date.now() < giveUpMs) await delay(200);
    const results = bounces().map((bounce) => [bounce.recipient ?? "", found(bounce)]);
    assert.deepEqual(Object.fromEntries(results), CAUSES);
    // The three that the hosts deferred were reported as late before.
    const late = site.returned.filter(({ message }) => readFeedback(message).type === "ignored");
    assert.equal(late.length, 3);
    store(
      name,
      site.returned.map(({ message }) => message),
    );
  });
}
