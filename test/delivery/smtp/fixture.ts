/** Shared by the tests of the SMTP client: a scripted peer that ends with its test, and sessions and messages for it. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { ContentParts } from "../../../src/delivery/smtp/content.ts";
import type { RecipientResult } from "../../../src/delivery/smtp/recipient-results.ts";
import { type OpenResult, openSession, type Session, type SessionOptions } from "../../../src/delivery/smtp/session.ts";
import type { Timeouts } from "../../../src/delivery/smtp/timeouts.ts";
import { type TransactionOptions, type TransactionResult, transact } from "../../../src/delivery/smtp/transaction.ts";
import { contentInParts } from "../../support/content-parts.ts";
import { type ScriptedSmtp, type ScriptedSmtpOptions, startScriptedSmtp } from "../../support/scripted-smtp.ts";

/** Long enough that they do not fire on a loaded machine when a reply does come. */
export const PATIENT: Partial<Timeouts> = {
  connect: 5_000,
  greeting: 5_000,
  ehlo: 5_000,
  starttls: 5_000,
  mail: 5_000,
  rcpt: 5_000,
  data: 5_000,
  block: 5_000,
  dot: 5_000,
  quit: 300,
};

export async function startPeer(t: TestContext, options: ScriptedSmtpOptions = {}): Promise<ScriptedSmtp> {
  const peer = await startScriptedSmtp(options);
  t.after(() => peer.close());
  return peer;
}

export function open(peer: ScriptedSmtp, options: Partial<SessionOptions> = {}): Promise<OpenResult> {
  const { timeouts, ...rest } = options;
  return openSession({
    mx: "mx.example.test",
    address: peer.host,
    port: peer.port,
    hostname: "client.test",
    tls: "opportunistic",
    timeouts: { ...PATIENT, ...timeouts },
    ...rest,
  });
}

export async function openOrFail(peer: ScriptedSmtp, options: Partial<SessionOptions> = {}): Promise<Session> {
  const result = await open(peer, options);
  assert.equal(result.type, "open", JSON.stringify(result.type === "open" ? "" : result));
  if (result.type !== "open") throw new Error("unreachable");
  return result.session;
}

export const MESSAGE = Buffer.from("Subject: hello\r\n\r\nthe body\r\n");

/** `content`: in one part, or in several. */
export interface MessageOptions extends Partial<Omit<TransactionOptions, "content">> {
  content?: Buffer | Buffer[] | ContentParts;
}

export function message({ content = MESSAGE, ...options }: MessageOptions = {}): TransactionOptions {
  const parts = Buffer.isBuffer(content) ? [content] : content;
  return {
    from: "sender@example.org",
    recipients: ["a@example.test"],
    content: Array.isArray(parts) ? contentInParts(parts) : parts,
    sizeBytes: Array.isArray(parts) ? Buffer.concat(parts).length : 0,
    prefix: Buffer.alloc(0),
    smtpUtf8: false,
    eightBit: false,
    beforeDot: async () => {},
    ...options,
  };
}

export interface Done {
  recipients: RecipientResult[];
  dotSent: boolean;
  contentError: Error | null;
}

/** The result of a transaction, which must not fail on the peer's capabilities. */
export async function done(result: TransactionResult | Promise<TransactionResult>): Promise<Done> {
  const settled = await result;
  if (settled.type !== "done") throw new assert.AssertionError({ message: `not done: ${settled.type}` });
  return settled;
}

/** A session with a fresh peer, and one transaction on it. */
export async function attempt(t: TestContext, setup: ScriptedSmtpOptions, options: MessageOptions = {}) {
  const peer = await startPeer(t, setup);
  const session = await openOrFail(peer);
  const result = await done(transact(session, message(options)));
  return { peer, session, ...result };
}

/** Results as short text: "rcpt 550", "lost final_dot", "over_limit 452". */
export function inShort(results: RecipientResult[]): string[] {
  return results.map((result) => {
    switch (result.type) {
      case "reply":
        return `${result.stage} ${result.reply.code}`;
      case "over_limit":
      case "not_sent":
        return `${result.type} ${result.reply.code}`;
      case "held_back":
      case "interrupted":
        return result.type;
      default:
        return `${result.type} ${result.stage}`;
    }
  });
}

/** Settles once `condition` holds; the test runner's time limit ends it otherwise. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
