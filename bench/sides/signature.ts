/** Verifies that a side signs: sends one message through it and checks the DKIM signature. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createResolver } from "../../src/dns/stub-resolver.ts";
import { judge } from "../../src/testing/sink/verdicts.ts";
import { until } from "../child.ts";
import { built, type Content } from "../load/content.ts";
import { memoryDir } from "../namespace.ts";
import { startSmtpSink } from "../smtp-sink.ts";
import { PEER_NAMES } from "./postfix.ts";
import { ADDRESSES, type Side } from "./side.ts";
import { DNS_SERVER } from "./zone.ts";

/** The DKIM result of one message: `pass`, or `none` without a signature. */
async function signatureOf(side: Side, content?: Content): Promise<string> {
  const keepIn = memoryDir("signed");
  const sink = await startSmtpSink({ ...ADDRESSES.sink, counting: "at once", keepIn });
  await side.burst(sink, { messages: 1, clients: 1, ...(content === undefined ? {} : { content }) });
  await until("the kept message", () => readdirSync(keepIn).length > 0);
  await sink.stop();
  const kept = readFileSync(join(keepIn, readdirSync(keepIn)[0] ?? ""), "latin1");
  const arrived = Buffer.from(kept.replace(/\r?\n/g, "\r\n"), "latin1");
  const { sender, hostname, sink: peer } = ADDRESSES;
  const received = { content: arrived, mailFrom: sender, clientIp: peer.host, ehlo: hostname };
  if (content !== undefined && arrived.length < built(content).length) {
    throw new Error(`${side.name} delivered ${arrived.length} bytes of ${content.name}`);
  }
  return (await judge(received, createResolver({ servers: [DNS_SERVER] }))).dkim.result;
}

/** Throws unless the side's messages have the expected DKIM result; a side that does not sign has an unfair advantage. */
export async function requireSignature(side: Side, content?: Content): Promise<void> {
  const expected = side.name === PEER_NAMES.none ? "none" : "pass";
  const result = await signatureOf(side, content);
  if (result !== expected) throw new Error(`${side.name}: the DKIM result is ${result} instead of ${expected}`);
}
