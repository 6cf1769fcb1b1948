/** Verifies that a side signs: sends one message through it and checks the DKIM signature. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createResolver } from "../../src/dns/node-resolver.ts";
import { judge } from "../../src/testing/sink/verdicts.ts";
import { until } from "../child.ts";
import { memoryDir } from "../namespace.ts";
import { startSmtpSink } from "../smtp-sink.ts";
import { ADDRESSES, type Side } from "./side.ts";
import { DNS_SERVER } from "./zone.ts";

/** The DKIM result: `pass`, or `none` without a signature. */
export async function signatureOf(side: Side): Promise<string> {
  const keepIn = memoryDir("signed");
  const sink = await startSmtpSink({ ...ADDRESSES.sink, counting: "at once", keepIn });
  const submitter = await side.submitter();
  await submitter.send(0);
  await sink.reached(1);
  await until("the kept message", () => readdirSync(keepIn).length > 0);
  submitter.close();
  await sink.stop();
  const kept = readFileSync(join(keepIn, readdirSync(keepIn)[0] ?? ""), "latin1");
  const content = Buffer.from(kept.replace(/\r?\n/g, "\r\n"), "latin1");
  const { sender, hostname, sink: peer } = ADDRESSES;
  const received = { content, mailFrom: sender, clientIp: peer.host, ehlo: hostname };
  return (await judge(received, createResolver({ servers: [DNS_SERVER] }))).dkim.result;
}
