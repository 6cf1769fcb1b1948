/**
 * Delivery to Debian's Postfix, Exim and OpenSMTPD: what they log, store, refuse and encrypt agrees with the reports.
 * The servers have independent implementations of SMTP, TLS and DKIM.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import type { Resolver } from "../../src/dns/resolver.ts";
import type { TlsRecord } from "../../src/message/result/outcome.ts";
import { isFinal, pollUntil, type RecipientReport, send, triesOf } from "../support/api-client.ts";
import { missingPeers } from "../support/debian-peers.ts";
import { exim, type MailServer, opensmtpd, postfix, type StartServer } from "../support/debian-servers.ts";
import { leavesOf, valuesOf } from "../support/mime.ts";
import { apiTarget, until } from "../support/peers.ts";
import { sendBody, startWorld, type World } from "../support/world.ts";

const skip = missingPeers();

const TEXT = "Grüße aus dem Laden\n.\n..zwei Punkte am Anfang\nund Schluss\n";
const HTML = "<p>Grüße aus dem <b>Laden</b> ☂</p>";
const SUBJECT = "Bestellung bestätigt ☂";
const IN_A_ROW = 5;

interface Given {
  name: string;
  start: StartServer;
  /** The queue id in the server's reply to the final dot. */
  queueId: RegExp;
  /** How the server refuses an unknown recipient: the code, and the text in both the reply and the log. */
  refusalCode: number;
  refusal: RegExp;
  /** The log lines of one connection. */
  connected: RegExp;
  /** The log line of a TLS handshake by our client; null if the server offers none. */
  encrypted: RegExp | null;
}

const POSTFIX = {
  queueId: /queued as (\w+)/,
  refusalCode: 550,
  refusal: /User unknown in virtual mailbox table/,
  connected: /smtpd\[\d+\]: connect from/g,
  encrypted: /Anonymous TLS connection established from/,
};

const SERVERS: Given[] = [
  { name: "Postfix", start: postfix(), ...POSTFIX },
  { name: "Postfix that requires TLS", start: postfix({ demanded: true }), ...POSTFIX },
  {
    name: "Exim",
    start: exim,
    queueId: /id=(\S+)/,
    refusalCode: 550,
    refusal: /Unrouteable address/,
    connected: /SMTP connection from \S+ \(TCP\/IP connection count/g,
    encrypted: /<= \S+ .*X=TLS1\.\d/,
  },
  {
    name: "OpenSMTPD",
    start: opensmtpd,
    queueId: /^(\w{8}) Message accepted/,
    refusalCode: 524,
    refusal: /Mailing list expansion problem/,
    connected: /smtp connected address=/g,
    encrypted: null,
  },
];

for (const given of SERVERS) {
  test(`${given.name} as the recipients' server`, { timeout: 60_000, skip }, async (t) => {
    const world = await startWorld(t);
    const domain = "customers.test";
    const server = await given.start(t, { world, domain });
    await agree(t, { ...given, world, domain, server });
  });
}

test("a server whose STARTTLS is broken", { timeout: 60_000, skip }, async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1s" });

  await t.test("gets the message in plain text if it allows that, and the attempt records it", async (t) => {
    const domain = "lenient.test";
    await postfix({ broken: true })(t, { world, domain });
    const [ann] = await settled(world, { to: `ann@${domain}` });
    assert.deepEqual([ann?.result, ann?.smtp?.tls], ["delivered", null]);
    assert.match((ann && triesOf(ann)[0]?.note) ?? "", /^STARTTLS rejected with 454, continued in plain text$/);
  });

  await t.test("is retried if it requires TLS, as a temporary error", async (t) => {
    const domain = "strict.test";
    await postfix({ demanded: true, broken: true })(t, { world, domain });
    const id = await send(apiTarget(world), sendBody({ to: `ann@${domain}` }));
    const [ann] = (await pollUntil(apiTarget(world), id, ({ attempts }) => attempts > 1)).recipients;
    assert.deepEqual([ann?.result, ann?.reason], ["pending", "tls_required"]);
    for (const tried of (ann && triesOf(ann)) ?? []) {
      assert.deepEqual([tried.stage, tried.reply?.code], ["mail", 530]);
      assert.match(tried.reply?.message ?? "", /^Must issue a STARTTLS command first$/);
    }
  });
});

interface Meeting extends Given {
  world: World;
  domain: string;
  server: MailServer;
}

async function agree(t: TestContext, meeting: Meeting): Promise<void> {
  const { world, domain, server, queueId, refusal, refusalCode, encrypted } = meeting;
  const check = (name: string, fact: () => void | Promise<void>) =>
    t.test(name, async () => {
      try {
        await fact();
      } catch (cause) {
        throw new Error(`no match, and the server's log has:\n${server.log()}`, { cause });
      }
    });
  const stored = (): number => server.stored("ann").length + server.stored("bob").length;
  const to = [`ann@${domain}`, `nobody@${domain}`, `bob@${domain}`];
  const [ann, nobody, bob] = await settled(world, { to });

  await check("two recipients get the message in one transaction, and its log has their reply", async () => {
    assert.deepEqual([ann?.result, bob?.result], ["delivered", "delivered"]);
    assert.deepEqual(ann?.smtp, bob?.smtp);
    const id = queueId.exec(ann?.smtp?.message ?? "")?.[1] ?? assert.fail(`no queue id: ${ann?.smtp?.message}`);
    await until("the delivery", () => stored() === 2);
    assert.ok(server.log().includes(id), `${id} is not in the log:\n${server.log()}`);
  });

  await check("an unknown user is refused with the server's text", () => {
    assert.deepEqual(
      [nobody?.result, nobody?.reason, nobody?.smtp?.code],
      ["failed", "recipient_refused", refusalCode],
    );
    const words = nobody?.smtp?.message.split("\n").at(-1) ?? "";
    assert.match(words, refusal);
    assert.match(server.log(), refusal);
  });

  await check("both sides report whether the connection was encrypted", () => {
    for (const recipient of [ann, nobody, bob]) {
      const [tried] = recipient === undefined ? [] : triesOf(recipient);
      assert.deepEqual([tried?.ip, tried?.note], [server.host, null]);
      assert.equal(tried?.tls?.protocol ?? null, recipient?.smtp?.tls);
      if (encrypted === null) assert.equal(tried?.tls, null);
      else assertOpportunistic(tried?.tls ?? null);
    }
    if (encrypted !== null) assert.match(server.log(), encrypted);
  });

  await check("the stored message has the sent content, and the signature verifies", async () => {
    for (const user of ["ann", "bob"] as const) {
      const message = asSent(server.stored(user)[0] ?? assert.fail(`nothing stored for ${user}`));
      assert.equal(decodedWords(valuesOf(message, "Subject")[0] ?? ""), SUBJECT);
      const texts = leavesOf(message).map(({ type, text }) => [type, text.replaceAll("\r\n", "\n").trimEnd()]);
      assert.deepEqual(texts, [
        ["text/plain", TEXT.trimEnd()],
        ["text/html", HTML],
      ]);
      assert.deepEqual(await signatures(message, world.resolver), ["pass"]);
    }
  });

  await check("one connection carries several messages", async () => {
    const before = connections(meeting);
    for (let i = 0; i < IN_A_ROW; i += 1) {
      const [recipient] = await settled(world, { to: `ann@${domain}` });
      assert.equal(recipient?.result, "delivered");
    }
    await until("the deliveries", () => stored() === 2 + IN_A_ROW);
    assert.deepEqual([before, connections(meeting)], [PROBED + 1, PROBED + 1], server.log());
  });
}

function assertOpportunistic(tls: TlsRecord | null): void {
  assert.match(tls?.protocol ?? "", /^TLSv1\.[23]$/);
  assert.match(tls?.cipher ?? "", /^TLS_/);
  assert.equal(tls?.verified, false);
}

/** The connection that checked whether the server listens. */
const PROBED = 1;

function connections({ server, connected }: Meeting): number {
  return server.log().match(connected)?.length ?? 0;
}

async function settled(world: World, parts: Record<string, unknown>): Promise<RecipientReport[]> {
  const id = await send(apiTarget(world), sendBody({ subject: SUBJECT, text: TEXT, html: HTML, ...parts }));
  return (await pollUntil(apiTarget(world), id, isFinal)).recipients;
}

/** A mailbox stores lines with the system's line ends; the message had CRLF. */
function asSent(stored: Buffer): Buffer {
  return Buffer.from(stored.toString("latin1").replace(/\r?\n/g, "\r\n"), "latin1");
}

/** RFC 2047, as far as a UTF-8 subject needs it. */
function decodedWords(value: string): string {
  const joined = value.replace(/\?=\s+=\?/g, "?==?");
  const word = /=\?utf-8\?([bq])\?([^?]*)\?=/gi;
  return joined.replace(word, (_, kind: string, text: string) => {
    if (kind.toUpperCase() === "B") return Buffer.from(text, "base64").toString("utf8");
    const bytes = text
      .replaceAll("_", " ")
      .replace(/=(..)/g, (__, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
    return Buffer.from(bytes, "latin1").toString("utf8");
  });
}

async function signatures(message: Buffer, resolver: Resolver): Promise<string[]> {
  const txt = async (name: string): Promise<string[][]> => {
    const answer = await resolver.txt(name);
    return answer.type === "found" ? answer.records.map((record) => [record]) : [];
  };
  const { results } = await dkimVerify(message, { resolver: txt });
  return results.map(({ status }) => status.result);
}
