/**
 * What each program sends, and what must be true afterwards: the message arrives signed and as it was sent; a key that is not valid, a
 * sender that is not allowed, and a quota that is used up make the program fail with the reply.
 */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { ClientFiles } from "../support/debian-clients.ts";
import type { Ended } from "../support/debian-peers.ts";
import { type Part, partOf } from "../support/mime.ts";
import {
  type Arrived,
  accepted,
  arrived,
  RECIPIENT,
  SUBMITTER,
  type SubmissionSite,
} from "../support/submission-site.ts";

export const TEXT = "Grüße aus dem Laden\n\n.\n..zwei Punkte am Anfang\n";
export const HTML = '<p>Grüße aus dem <b title="=20">Laden</b> ☂</p>\n';
export const DATA = Buffer.from(Array.from({ length: 1024 }, (_, i) => i % 256));

/** The files that programs send, and the authority that they trust. */
export const filesFor = ({ authority }: SubmissionSite): ClientFiles => ({
  "ca.crt": authority,
  "text.txt": TEXT,
  "page.html": HTML,
  "data.dat": DATA,
});

export type Tls = "starttls" | "tls" | "none";

/** One message. */
export interface Submission {
  tls: Tls;
  host: string;
  port: number;
  key: string;
  sender: string;
  subject: string;
}

export interface Client {
  name: string;
  /** How it connects. */
  ways: readonly Tls[];
  /** Sends a text, an HTML part and a file, to RECIPIENT. */
  send(submission: Submission): Promise<Ended>;
  /** Whether it sends `builtMessage` as it is. */
  isTransport?: boolean;
}

export const UNKNOWN_KEY = `svc_live_${"x".repeat(43)}`;
export const UNBOUND_SENDER = "hello@not-bound.example";

export async function conforms(t: TestContext, site: SubmissionSite, client: Client): Promise<void> {
  const { name, ways, send } = client;
  const submission = (tls: Tls, subject: string): Submission => ({
    tls,
    subject: `Bestellung bestätigt ☂ ${name} ${subject}`,
    key: site.world.key,
    sender: SUBMITTER,
    host: "mta.example.com",
    port: tls === "tls" ? site.tlsPort : site.port,
  });
  for (const tls of ways) {
    await t.test(`${name} sends, ${WAYS[tls]}`, async () => {
      const sent = submission(tls, tls);
      const { code, output } = await send(sent);
      assert.equal(code, 0, output);
      const [id = assert.fail(`not accepted: ${output}`), ...others] = await accepted(site, sent.subject);
      assert.deepEqual(others, []);
      assertArrived(await arrived(site, id), sent, client);
    });
  }
  const [tls = "none"] = ways;
  await t.test(`${name} fails with a key that is not valid`, async () => {
    const sent = { ...submission(tls, "unknown key"), key: UNKNOWN_KEY };
    await assertRejected(site, {
      subject: sent.subject,
      ended: await send(sent),
      reply: /535|must be an API key|Could not authenticate/,
    });
  });
  await t.test(`${name} fails with a sender that is not allowed`, async () => {
    const sent = { ...submission(tls, "unbound"), sender: UNBOUND_SENDER };
    await assertRejected(site, { subject: sent.subject, ended: await send(sent), reply: /550|5\.7\.1/ });
  });
  await t.test(`${name} fails while the quota is used up, and sends after that`, async () => {
    const sent = submission(tls, "quota");
    const { registry } = site.world.service;
    await registry.setQuota("acc_default", 1);
    const ended = await send(sent);
    await registry.setQuota("acc_default", 0);
    await assertRejected(site, { subject: sent.subject, ended, reply: /451|4\.7\.1/ });
    const { code, output } = await send(sent);
    assert.equal(code, 0, output);
    assert.equal((await accepted(site, sent.subject)).length, 1);
  });
}

const WAYS: Readonly<Record<Tls, string>> = {
  starttls: "with STARTTLS",
  tls: "under TLS from the first octet",
  none: "in plain text on loopback",
};

async function assertRejected(
  site: SubmissionSite,
  { subject, ended: { code, output }, reply }: { subject: string; ended: Ended; reply: RegExp },
): Promise<void> {
  assert.notEqual(code, 0, output);
  assert.match(output, reply);
  assert.deepEqual(await accepted(site, subject), []);
}

export function assertArrived(
  { entry, content }: Arrived,
  { subject, sender }: Pick<Submission, "subject" | "sender">,
  { isTransport = false }: Pick<Client, "isTransport">,
): void {
  assert.equal(entry.subject, subject);
  assert.deepEqual([entry.mail_from, entry.rcpt_to], [sender, [RECIPIENT]]);
  if (isTransport) {
    const body = bodyOf(Buffer.from(builtMessage({ subject, sender }).replaceAll("\n", "\r\n")));
    assert.ok(bodyOf(content).equals(body), "the body arrives octet for octet");
    return;
  }
  const leaves = leavesOf(partOf(content));
  assert.deepEqual(
    leaves.map(({ type }) => type),
    ["text/plain", "text/html", "application/octet-stream"],
  );
  const [text, html, data] = leaves.map((leaf) => leaf.content);
  assert.equal(lines(text), lines(Buffer.from(TEXT)));
  assert.equal(lines(html), lines(Buffer.from(HTML)));
  assert.ok(data?.equals(DATA), "the file arrives octet for octet");
}

const bodyOf = (message: Buffer): Buffer => message.subarray(message.indexOf("\r\n\r\n") + 4);
/** Some libraries write CR CRLF. */
const lines = (text: Buffer | undefined): string => String(text).replaceAll(/\r+\n/g, "\n").trimEnd();
const leavesOf = (part: Part): Part[] => (part.parts.length === 0 ? [part] : part.parts.flatMap(leavesOf));

/** A message for programs that build none: a text with octets above 127, an HTML part and a file. Lines end with LF. */
export function builtMessage({ subject, sender }: Pick<Submission, "subject" | "sender">): string {
  const base64 = (content: Buffer): string => content.toString("base64").replace(/.{76}/g, "$&\n");
  const word = (text: string): string => `=?utf-8?B?${Buffer.from(text).toString("base64")}?=`;
  return `From: ${word("Läden & Co")} <${sender}>
To: ${RECIPIENT}
Subject: ${word(subject)}
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="mixed"

A reader without MIME sees this.
--mixed
Content-Type: multipart/alternative; boundary="either"

--either
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit

${TEXT}From hier an ist Schluss
--either
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: base64

${base64(Buffer.from(HTML))}
--either--

--mixed
Content-Type: application/octet-stream; name=data.dat
Content-Disposition: attachment; filename=data.dat
Content-Transfer-Encoding: base64

${base64(DATA)}
--mixed--
`;
}
