/**
 * Postfix's smtp-sink with faults at each stage: it refuses, disconnects or delays. Checks the result of every
 * recipient.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sendAndReport, sendToOne } from "../support/api-client.ts";
import { missingPeers } from "../support/debian-peers.ts";
import { startSmtpSink } from "../support/debian-servers.ts";
import { apiTarget } from "../support/peers.ts";
import { sendBody, startWorld } from "../support/world.ts";

const skip = missingPeers();

/** Flags of smtp-sink, and the result, reason and code of each recipient after one attempt. */
type Case = [flags: string, result: string, reason: string | null, code: number | null];

const CASES: Case[] = [
  // -f replies to a command with 500, -r with 450, -Q with 421 and disconnects, -q disconnects without a reply.
  ["-f connect", "pending", "host_refused", 500],
  ["-f ehlo", "delivered", null, 250],
  ["-f ehlo,helo", "pending", "host_refused", 500],
  ["-f mail", "failed", "sender_refused", 500],
  ["-f rcpt", "failed", "recipient_refused", 500],
  ["-f data", "failed", "message_refused", 500],
  ["-f .", "failed", "message_refused", 500],
  ["-r connect", "pending", "host_refused", 450],
  ["-r ehlo", "pending", "host_refused", 450],
  ["-r mail", "pending", "temporarily_refused", 450],
  ["-r rcpt", "pending", "temporarily_refused", 450],
  ["-r data", "pending", "temporarily_refused", 450],
  ["-r .", "pending", "temporarily_refused", 450],
  ["-Q connect", "pending", "host_refused", 421],
  ["-Q ehlo", "pending", "host_refused", 421],
  ["-Q mail", "pending", "temporarily_refused", 421],
  ["-Q rcpt", "pending", "temporarily_refused", 421],
  ["-Q data", "pending", "temporarily_refused", 421],
  ["-Q .", "pending", "temporarily_refused", 421],
  ["-q connect", "pending", "connection_failed", null],
  ["-q ehlo", "pending", "connection_failed", null],
  ["-q mail", "pending", "connection_lost", null],
  ["-q rcpt", "pending", "connection_lost", null],
  ["-q data", "pending", "connection_lost", null],
  ["-q .", "unknown", "connection_lost_after_final_dot", null],
  // Errors of RSET and QUIT change no earlier result.
  ["-f rset,quit", "delivered", null, 250],
  ["-q quit", "delivered", null, 250],
  // Slow replies: to DATA, and to others.
  ["-w 1", "delivered", null, 250],
  ["-W connect:1", "delivered", null, 250],
  // With -p, because its delayed replies to pipelined commands are out of order.
  ["-p -W rcpt:1", "delivered", null, 250],
  ["-W .:1", "delivered", null, 250],
  // A refusal without reading the content, and a peer that reads byte by byte.
  ["-A 1", "failed", "message_refused", 550],
  ["-T 1", "delivered", null, 250],
  // Without ESMTP, PIPELINING, 8BITMIME or enhanced codes.
  ["-e", "delivered", null, 250],
  ["-p", "delivered", null, 250],
  ["-8", "delivered", null, 250],
  ["-E", "delivered", null, 250],
];

const SIDE_BY_SIDE = 6;

test("faults of smtp-sink", { timeout: 100_000, skip }, async (t) => {
  const world = await startWorld(t);
  const waiting = [...CASES.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, [flags, result, reason, code]] = next;
      await t.test(`${flags}: ${result}`, async (t) => {
        const domain = `sink${index}.test`;
        await startSmtpSink(t, { world, domain }, flags.split(" "));
        const body = sendBody({ to: [`ann@${domain}`, `bob@${domain}`], text: "A line.\n".repeat(2000) });
        for (const recipient of (await sendAndReport(apiTarget(world), body)).recipients) {
          assert.deepEqual([recipient.result, recipient.reason, recipient.smtp?.code ?? null], [result, reason, code]);
        }
      });
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
});

test("a refusal right after the 354 concerns the message", { timeout: 30_000, skip }, async (t) => {
  const world = await startWorld(t);
  const domain = "abrupt.test";
  await startSmtpSink(t, { world, domain }, ["-A", "0"]);
  const recipient = await sendToOne(apiTarget(world), sendBody({ to: `ann@${domain}` }));
  assert.deepEqual([recipient.result, recipient.smtp?.code], ["failed", 550]);
});
