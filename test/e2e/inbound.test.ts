/** Mail that comes back to the whole service: what is accepted has its effect, what is not ours is rejected, and metrics count both. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { createTransport } from "nodemailer";
import { until } from "../support/peers.ts";
import { activateReturnPath } from "../support/return-path.ts";
import { SubmissionClient } from "../support/submission-client.ts";
import { RECIPIENT_DOMAIN, SENDER_DOMAIN, startWorld, type World } from "../support/world.ts";

const USER = `ann@${RECIPIENT_DOMAIN}`;
const BOUNCES = `bounces.${SENDER_DOMAIN}`;

const portOf = ({ service }: World): number => service.inboundPort ?? assert.fail("it does not listen");

async function greeted(t: TestContext, world: World): Promise<SubmissionClient> {
  const client = await SubmissionClient.open(t, portOf(world));
  await client.command("EHLO mx.example");
  return client;
}

interface Report {
  message_id: string;
  recipients: { result: string; bounce?: { status: string; permanent: boolean } }[];
}

/** A delivered message, and the envelope sender that it arrived with. */
async function delivered(world: World): Promise<{ id: string; envelopeSender: string }> {
  const body = { from: `hello@${SENDER_DOMAIN}`, to: `delivered@${RECIPIENT_DOMAIN}`, subject: "Order", text: "Hi" };
  const { id } = (await (await world.post(body)).json()) as { id: string };
  const report = (await (await world.lookUp(id, "?wait=20")).json()) as Report;
  const entry = world.sink.entries.find(({ message_id }) => message_id === report.message_id);
  return { id, envelopeSender: entry?.mail_from ?? assert.fail("it has not arrived") };
}

/** A notification as RFC 3464 has it. */
const notification = (to: string): string =>
  [
    "From: MAILER-DAEMON@mx.customers.example",
    `To: ${to}`,
    "Subject: Undelivered Mail Returned to Sender",
    "MIME-Version: 1.0",
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    "",
    "--b",
    "",
    "No such user.",
    "--b",
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; mx.customers.example",
    "",
    `Final-Recipient: rfc822; delivered@${RECIPIENT_DOMAIN}`,
    "Action: failed",
    "Status: 5.1.1",
    "Diagnostic-Code: smtp; 550 5.1.1 No such user",
    "",
    "--b--",
    "",
  ].join("\r\n");

async function metrics({ service }: World): Promise<string> {
  return (await fetch(`${service.url}/metrics`)).text();
}

test("mail that comes back", { timeout: 120_000 }, async (t) => {
  const world = await startWorld(t, { INBOUND_PORT: "0" });
  const createdAtMs = Date.now();
  await world.service.registry.createUser({
    email: USER,
    accountId: "acc_default",
    passwordHash: "none",
    operator: false,
    createdAtMs,
    usersMax: 9,
  });

  await t.test("has no address while no domain has a return path", async (t) => {
    const client = await greeted(t, world);
    await client.command("MAIL FROM:<>");
    assert.match(await client.command(`RCPT TO:<abuse@${BOUNCES}>`), /^550 5\.1\.1 /);
  });

  await activateReturnPath(world);

  await t.test("is a bounce to the envelope sender of a recipient, which the lookup shows", async (t) => {
    const { id, envelopeSender } = await delivered(world);
    assert.match(envelopeSender, new RegExp(`^b-[a-z2-7]{45}@${BOUNCES}$`));
    const client = await greeted(t, world);
    const reply = await client.send({ from: "", to: [envelopeSender], content: notification(envelopeSender) });
    assert.equal(reply, "250 2.0.0 Accepted");
    const bounce = async () => ((await (await world.lookUp(id)).json()) as Report).recipients[0]?.bounce;
    while ((await bounce()) === undefined) await new Promise((resolve) => setTimeout(resolve, 50));
    const { status, permanent } = (await bounce()) ?? assert.fail();
    assert.deepEqual([status, permanent], ["5.1.1", true]);
  });

  await t.test("is forwarded to the account's users if it is for postmaster or abuse", async () => {
    const transport = createTransport({ host: "127.0.0.1", port: portOf(world), secure: false });
    for (const name of ["postmaster", "abuse"]) {
      await transport.sendMail({
        from: "ben@other.example",
        to: `${name}@${BOUNCES}`,
        subject: `About ${name}`,
        text: "Stop it.",
      });
    }
    const forwarded = () => world.sink.entries.filter(({ rcpt_to }) => rcpt_to.includes(USER));
    await until("both have arrived", () => forwarded().length === 2);
    const [first] = forwarded();
    assert.deepEqual(
      forwarded()
        .map(({ subject }) => subject)
        .toSorted(),
      ["Fwd: About abuse", "Fwd: About postmaster"],
    );
    const content = readFileSync(join(dirname(world.env.DATA_DIR ?? ""), "sink", first?.file ?? ""), "latin1");
    assert.match(content, /^From: Postrider <postrider@shop\.example>\r$/m);
    assert.match(content, /Content-Type: message\/rfc822\r\n[\s\S]*\r\nFrom: ben@other\.example\r\n[\s\S]*Stop it\./);
    assert.equal(first?.dkim.result, "pass");
  });

  await t.test("is nothing else: other addresses are rejected, and nothing is passed on", async (t) => {
    const before = world.sink.entries.length;
    const client = await greeted(t, world);
    await client.command(`MAIL FROM:<hello@${SENDER_DOMAIN}>`);
    for (const to of [`delivered@${RECIPIENT_DOMAIN}`, `hello@${SENDER_DOMAIN}`, `info@${BOUNCES}`, "postmaster"]) {
      assert.match(await client.command(`RCPT TO:<${to}>`), /^550 5\.1\.1 /, to);
    }
    assert.match(await client.command("DATA"), /^503 /);
    assert.equal(world.sink.entries.length, before);
  });

  await t.test("is counted, and so are rejections", async () => {
    const text = await metrics(world);
    assert.match(text, /^postrider_incoming_messages_total\{type="bounces"\} 1$/m);
    assert.match(text, /^postrider_incoming_messages_total\{type="abuse"\} 1$/m);
    assert.match(text, /^postrider_incoming_messages_total\{type="complaints"\} 0$/m);
    assert.match(text, /^postrider_incoming_refused_total\{code="unknown_recipient"\} 5$/m);
  });
});
