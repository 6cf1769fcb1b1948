/** Bounces and unsubscribe requests may reach any node, and have their effect once, at all of them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { headerField } from "../../src/testing/sink/header.ts";
import { lines, report } from "../message/feedback/samples.ts";
import { until } from "../support/peers.ts";
import { missingPostgresOrTime } from "../support/postgres/installation.ts";
import { startTwoServices, type TwoServices } from "../support/postgres/two-services.ts";
import { activateReturnPath } from "../support/return-path.ts";
import { SubmissionClient } from "../support/submission-client.ts";
import { RECIPIENT_DOMAIN, sendBody } from "../support/world.ts";

const SEND = "/api/sending/send";
const MESSAGES = 8;

interface Report {
  message_id: string;
  recipients: [{ result: string; reason: string | null; bounce?: { status: string }; unsubscribed_at?: string }];
}

/** Where links lead; the test follows them to a node. */
const PUBLIC_URL = "https://mail.shop.example";

interface Delivered {
  id: string;
  email: string;
  envelopeSender: string;
  link: string;
}

async function reportOf({ ask }: TwoServices, url: string, id: string): Promise<Report> {
  return (await (await ask(url, `/api/sending/messages/${id}?wait=20`)).json()) as Report;
}

/** A message that the node at `url` has accepted, as it has arrived. */
async function delivered(services: TwoServices, url: string, email: string): Promise<Delivered> {
  const answer = await services.ask(url, SEND, { body: sendBody({ to: email, unsubscribe: true }) });
  const { id } = (await answer.json()) as { id: string };
  const { message_id, recipients } = await reportOf(services, url, id);
  assert.equal(recipients[0].result, "delivered");
  const { sink, env } = services.world;
  const entry = sink.entries.find((each) => each.message_id === message_id) ?? assert.fail("it has not arrived");
  const content = readFileSync(join(dirname(env.DATA_DIR ?? ""), "sink", entry.file ?? ""));
  const link = headerField(content, "List-Unsubscribe")?.slice(1, -1) ?? assert.fail("it has no link");
  return { id, email, envelopeSender: entry.mail_from, link };
}

const notification = ({ envelopeSender, email }: Delivered): Buffer =>
  report(
    ["From: MAILER-DAEMON@mx.customers.example", `To: ${envelopeSender}`, "Subject: Undelivered"],
    "delivery-status",
    [
      ["text/plain", "No such user."],
      [
        "message/delivery-status",
        lines(
          "Reporting-MTA: dns; mx.customers.example",
          "",
          `Final-Recipient: rfc822; ${email}`,
          "Action: failed",
          "Status: 5.1.1",
          "Diagnostic-Code: smtp; 550 5.1.1 No such user",
        ),
      ],
    ],
  );

/** The listeners of both, the first of the first node. */
function inboundPorts({ world, second }: TwoServices): number[] {
  return [world.service, second].map(({ inboundPort }) => inboundPort ?? assert.fail("it does not listen"));
}

async function bounceTo(t: TestContext, port: number, about: Delivered): Promise<void> {
  const client = await SubmissionClient.open(t, port);
  await client.command("EHLO mx.customers.example");
  const content = notification(about).toString("latin1");
  assert.equal(await client.send({ from: "", to: [about.envelopeSender], content }), "250 2.0.0 Accepted");
}

/** The events of feedback in the feed of the node at `url`. */
async function feedbackEvents({ ask }: TwoServices, url: string): Promise<string[]> {
  const { events } = (await (await ask(url, "/api/sending/events?limit=100")).json()) as {
    events: { type: string; message_id: string }[];
  };
  return events
    .filter(({ type }) => ["recipient.bounced", "recipient.unsubscribed"].includes(type))
    .map(({ type, message_id }) => `${type} ${message_id}`)
    .toSorted();
}

test("feedback that reaches any node", { skip: missingPostgresOrTime(), timeout: 120_000 }, async (t) => {
  const services = await startTwoServices(t, { INBOUND_PORT: "0", PUBLIC_URL });
  const { world, urls, ask } = services;
  await activateReturnPath(world);
  const ports = inboundPorts(services);

  // The nodes accept by turns, and each bounce reaches both.
  const messages: Delivered[] = [];
  for (let i = 0; i < MESSAGES; i += 1) {
    messages.push(await delivered(services, urls[i % 2] ?? "", `user${i}@${RECIPIENT_DOMAIN}`));
  }
  const [bounced, unsubscribed] = [messages.slice(0, MESSAGES / 2), messages.slice(MESSAGES / 2)];
  await Promise.all(bounced.flatMap((about) => ports.map((port) => bounceTo(t, port, about))));
  for (const [i, { link }] of unsubscribed.entries()) {
    const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
    for (const url of urls.toReversed()) {
      const { pathname } = new URL(link);
      assert.equal((await fetch(url + pathname, { method: "POST", body })).status, 200, `${i}`);
    }
  }

  await t.test("is in the lookups of both", async () => {
    for (const url of urls) {
      for (const { id } of bounced) {
        await until(
          "the bounce is known",
          async () => (await reportOf(services, url, id)).recipients[0].bounce !== undefined,
        );
        const [{ result, bounce }] = (await reportOf(services, url, id)).recipients;
        assert.deepEqual([result, bounce?.status], ["delivered", "5.1.1"]);
      }
      for (const { id } of unsubscribed) {
        assert.notEqual((await reportOf(services, url, id)).recipients[0].unsubscribed_at, undefined);
      }
    }
  });

  await t.test("is one event in the feed of both, though it came twice", async () => {
    const expected = [
      ...bounced.map(({ id }) => `recipient.bounced ${id}`),
      ...unsubscribed.map(({ id }) => `recipient.unsubscribed ${id}`),
    ].toSorted();
    await until("all have been read", async () => (await world.service.spool.incomingBacklog()).mails === 0);
    for (const url of urls) assert.deepEqual(await feedbackEvents(services, url), expected);
  });

  await t.test("suppresses the addresses of those who unsubscribed, at both", async () => {
    for (const url of urls) {
      for (const { email } of unsubscribed) {
        const answer = await ask(url, SEND, { body: sendBody({ to: email }) });
        const { id } = (await answer.json()) as { id: string };
        const [{ result, reason }] = (await reportOf(services, url, id)).recipients;
        assert.deepEqual([result, reason], ["failed", "suppressed"], email);
      }
    }
  });
});
