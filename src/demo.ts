/**
 * `npm run demo` and `postrider demo`: the main use of Postrider, on loopback. It starts a DNS zone, an SMTP sink and the real service, binds and
 * verifies a domain, creates a key, sends a message over HTTP, and shows each recipient's result. Nothing leaves this machine, and
 * everything is written to a temporary directory.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bindDomain } from "./app/domains/bind-domain.ts";
import { setReturnPath } from "./app/domains/return-path.ts";
import { verifyNow } from "./app/domains/verify-domain.ts";
import { createApiKey } from "./app/send/create-key.ts";
import { readConfig } from "./config.ts";
import { createResolver } from "./dns/stub-resolver.ts";
import { recordsToPublish, returnPathRecords } from "./domains/records.ts";
import { argumentFault } from "./lib/error-text.ts";
import { isEntry } from "./lib/is-entry.ts";
import { silentLog } from "./lib/log.ts";
import { openVault } from "./security/vault.ts";
import { startService } from "./service/service.ts";
import { startSink } from "./sink.ts";
import { CHECK_NAMES } from "./spool/port/domains.ts";
import { startZoneServer } from "./testing/zone-server.ts";

const SENDER_DOMAIN = "shop.example";
const RECIPIENT_DOMAIN = "customers.example";
const HOSTNAME = "mta.shop.example";

/** Each recipient, with its expected result and the reason. */
const EXPECTED: Record<string, { result: string; because: string }> = {
  delivered: { result: "delivered", because: "the recipient's server accepts it at once" },
  "greylist-2": { result: "delivered", because: "deferred twice with 451, then accepted: greylisting" },
  "5xx-550": { result: "failed", because: "rejected by the recipient's server" },
  "4xx-451": { result: "pending", because: "deferred, sent later" },
  "bounce-later": {
    result: "delivered",
    because: "the recipient's server accepts it, and sends a bounce half a second later",
  },
  "drop-after-dot": { result: "unknown", because: "the connection closed after the final dot, without a reply" },
};

/** Only loopback reaches this service, and it ends with the demo. */
const ADMIN = { email: `you@${SENDER_DOMAIN}`, password: "see-it-work" };

const SETTLE_LIMIT_MS = 30_000;
const POLL_MS = 100;

interface FeedEvent {
  sequence: number;
  type: string;
  recipient: { email: string } | null;
}

interface Recipient {
  email: string;
  result: string;
  reason: string | null;
  attempts: number;
  smtp: { code: number; message: string; mx: string } | null;

  bounce?: { at: string; status: string | null; category: string; permanent: boolean; diagnostic: string };
}

const print = (line = ""): void => void process.stdout.write(`${line}\n`);
/** Resolves when the reader closes the pipe, as `head` does. The demo then still ends cleanly. */
const outputClosed = new Promise<void>((resolve) => void process.stdout.on("error", () => resolve()));
const step = (title: string): void => print(`\n▸ ${title}`);

function environment(parts: { dir: string; zone: string; smtpPort: number }): Record<string, string> {
  return {
    PORT: "0",
    HOST: "127.0.0.1",
    DATA_DIR: join(parts.dir, "data"),
    CERTS_DIR: join(parts.dir, "certs"),
    MTA_HOSTNAME: HOSTNAME,
    SENDING_IPS: "127.0.0.1",
    DNS_SERVERS: parts.zone,
    SMTP_PORT: String(parts.smtpPort),
    SMTP_ALLOW_PRIVATE: "true",
    WEBHOOK_ALLOW_PRIVATE: "true",
    SUBMISSION_PORT: "0",
    INBOUND_PORT: "0",
    SUBMISSION_ALLOW_PLAINTEXT: "true",
    RETRY_SCHEDULE: "1s,1s,1h",
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
  };
}

/** Starts zone, sink and service; `stop` ends them in reverse order. */
async function startAll(dir: string) {
  const zone = await startZoneServer();
  const resolver = createResolver({ servers: [zone.address] });
  const sink = await startSink({ port: 0, dir: join(dir, "sink-mail"), resolver });
  zone.set(RECIPIENT_DOMAIN, "MX", [`10 mx.${RECIPIENT_DOMAIN}`]);
  zone.set(`mx.${RECIPIENT_DOMAIN}`, "A", ["127.0.0.1"]);
  zone.set(HOSTNAME, "A", ["127.0.0.1"]);
  zone.set("1.0.0.127.in-addr.arpa", "PTR", [HOSTNAME]);
  zone.set(`mail.${SENDER_DOMAIN}`, "A", ["127.0.0.1"]);
  const config = readConfig(environment({ dir, zone: zone.address, smtpPort: sink.port }));
  const service = await startService(config, silentLog, {
    onFatal(error) {
      throw error;
    },
  });
  if (service.inboundPort !== null) sink.sendBouncesTo({ host: "127.0.0.1", port: service.inboundPort });
  print(`  DNS zone   ${zone.address}`);
  print(`  SMTP sink  127.0.0.1:${sink.port}   (stores messages in ${join(dir, "sink-mail")})`);
  print(`  Postrider  ${service.url}`);
  print(
    `  Submission 127.0.0.1:${service.submissionPort}   (SMTP without TLS; any user name, the API key as password)`,
  );
  print(`  Inbound    127.0.0.1:${service.inboundPort}   (for bounces and reports)`);
  print(`  Dashboard  ${service.url}/dashboard   (with --stay: sign in as ${ADMIN.email}, password ${ADMIN.password})`);
  const stop = async (): Promise<void> => {
    await service.stop();
    await sink.close();
    await zone.close();
  };
  return { zone, sink, resolver, config, service, stop };
}

type Running = Awaited<ReturnType<typeof startAll>>;

async function bindAndVerify({ zone, resolver, config, service }: Running, accountId: string): Promise<void> {
  const vault = openVault(config.certsDir);
  const { domainsMax } = config;
  const request = { accountId, name: SENDER_DOMAIN, nowMs: Date.now(), domainsMax };
  const bound = await bindDomain(service.registry, vault, request);
  if (bound.type !== "bound") throw new Error(`the demo's domain could not be added: ${bound.type}`);
  const context = { resolver, hostname: HOSTNAME, sendingIps: ["127.0.0.1"], allowPrivate: true };
  await setReturnPath(service.registry, bound.domain, { on: true, nowMs: request.nowMs });
  for (const record of [...recordsToPublish(bound.domain, context), ...returnPathRecords(bound.domain, context)]) {
    const shown = record.value.length > 60 ? `${record.value.slice(0, 57)}…` : record.value;
    print(`  ${record.check.padEnd(15)} ${record.name}  ${record.type}  ${shown}`);
    zone.set(record.name, record.type, [record.value]);
  }
  step("Published in the zone; verifying each check");
  const { checks, verified } = await verifyNow(service.registry, bound.domain, { context, nowMs: Date.now() });
  for (const name of CHECK_NAMES) print(`  ${name.padEnd(15)} ${checks[name].state}`);
  if (!verified) throw new Error("the demo's domain could not be verified");
  const returnPath = await service.registry.returnPathNamed(accountId, SENDER_DOMAIN);
  for (const [name, { state }] of Object.entries(returnPath?.checks ?? {})) print(`  ${name.padEnd(15)} ${state}`);
  if (!returnPath?.active) throw new Error("the return path of the demo's domain could not be verified");
}

interface NewKey {
  accountId: string;
  name: string;
  test: boolean;
}

async function addKey({ service, config: { keysMax } }: Running, request: NewKey): Promise<string> {
  const created = await createApiKey(service.registry, { ...request, nowMs: Date.now(), keysMax });
  if (created.type !== "created") throw new Error(`the demo cannot create a key: ${created.type}`);
  return created.key;
}

async function send({ service }: Running, key: string): Promise<string> {
  const body = {
    from: `The Shop <hello@${SENDER_DOMAIN}>`,
    to: Object.keys(EXPECTED).map((local) => `${local}@${RECIPIENT_DOMAIN}`),
    subject: "Your order is on its way ✓",
    text: "Hello,\n\nyour parcel left this morning.\n",
    html: "<p>Hello,</p><p>your parcel left <b>this morning</b>.</p>",
  };
  const response = await fetch(`${service.url}/api/sending/send`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", "Idempotency-Key": "demo-1" },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { id: string };
  print(`  POST /api/sending/send → ${response.status} ${JSON.stringify(answer)}`);
  if (response.status !== 202) throw new Error("the demo's message was not accepted");
  return answer.id;
}

const isAsExpected = (recipient: Recipient): boolean => {
  const local = recipient.email.split("@")[0] ?? "";
  const isAttempted = recipient.result !== "pending" || recipient.attempts > 0;
  return isAttempted && recipient.result === EXPECTED[local]?.result;
};

/** Prints each change in the lookup, until all results are as expected or the time is over. */
async function watch({ service }: Running, key: string, id: string): Promise<boolean> {
  const startMs = Date.now();
  const printed = new Map<string, string>();
  for (;;) {
    const headers = { Authorization: `Bearer ${key}` };
    const response = await fetch(`${service.url}/api/sending/messages/${id}`, { headers });
    const { recipients } = (await response.json()) as { recipients: Recipient[] };
    for (const r of recipients) {
      const reply = r.smtp === null ? (r.reason ?? "") : `${r.smtp.code} ${r.smtp.message}`;
      const line = `${r.email.padEnd(34)} ${r.result.padEnd(10)} attempt ${r.attempts}  ${reply}`;
      if (r.attempts === 0 || printed.get(r.email) === line) continue;
      printed.set(r.email, line);
      print(`  ${((Date.now() - startMs) / 1000).toFixed(1).padStart(4)} s  ${line}`);
    }
    const settled = recipients.every(isAsExpected);
    if (settled || Date.now() - startMs > SETTLE_LIMIT_MS) return settled;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Prints the bounce of `bounce-later` once the lookup shows it; returns whether it came in time. */
async function showBounce({ service }: Running, key: string, id: string): Promise<boolean> {
  const giveUpMs = Date.now() + SETTLE_LIMIT_MS;
  while (Date.now() < giveUpMs) {
    const headers = { Authorization: `Bearer ${key}` };
    const response = await fetch(`${service.url}/api/sending/messages/${id}`, { headers });
    const { recipients } = (await response.json()) as { recipients: Recipient[] };
    const bounced = recipients.find(({ bounce }) => bounce !== undefined);
    if (bounced?.bounce !== undefined) {
      const { at, ...bounce } = bounced.bounce;
      print(`  ${bounced.email}   ${at}   ${JSON.stringify(bounce)}`);
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return false;
}

/** Prints the message's events from the feed; returns whether they are complete and in order. */
async function showEvents({ service }: Running, key: string): Promise<boolean> {
  const headers = { Authorization: `Bearer ${key}` };
  const response = await fetch(`${service.url}/api/sending/events?limit=100`, { headers });
  const { events } = (await response.json()) as { events: FeedEvent[] };
  for (const { sequence, type, recipient } of events) {
    print(`  ${String(sequence).padStart(2)}  ${type.padEnd(20)} ${recipient?.email ?? ""}`);
  }
  const isOrdered = events.every(({ sequence }, i) => sequence === i + 1);
  return isOrdered && events.length > Object.keys(EXPECTED).length;
}

function showReceived({ sink }: Running): boolean {
  for (const entry of sink.entries) {
    const { dkim, spf, dmarc, rcpt_to } = entry;
    print(`  for ${rcpt_to.join(", ")}: DKIM ${dkim.result}, SPF ${spf.result}, DMARC ${dmarc.result}`);
  }
  return sink.entries.length > 0 && sink.entries.every((e) => e.dkim.result === "pass" && e.dmarc.result === "pass");
}

async function run(stay: boolean, commandLine: string): Promise<boolean> {
  const dir = mkdtempSync(join(tmpdir(), "postrider-demo-"));
  step("Starting, on loopback only");
  const running = await startAll(dir);
  try {
    const account = await running.service.registry.accountNamed("default");
    if (account === null) throw new Error("there is no default account");
    step(`Adding ${SENDER_DOMAIN}: five records to publish, and two for the return path`);
    await bindAndVerify(running, account.id);
    step("Creating an API key");
    const key = await addKey(running, { accountId: account.id, name: "demo", test: false });
    print(`  ${key}   (shown once; stored as a hash)`);
    step("Sending one message to six recipients");
    const id = await send(running, key);
    step("Results, one for each recipient");
    const asExpected = await watch(running, key, id);
    step("Why");
    for (const [local, { result, because }] of Object.entries(EXPECTED)) {
      print(`  ${local.padEnd(16)} ${result.padEnd(10)} ${because}`);
    }
    step("A bounce comes back to the envelope sender of its recipient");
    const bounced = await showBounce(running, key, id);
    step("Events, as the feed and webhooks have them");
    const announced = await showEvents(running, key);
    step("Authentication results at the receiving server");
    const authentic = showReceived(running);
    if (stay) {
      const testKey = await addKey(running, { accountId: account.id, name: "demo, test", test: true });
      await stayUp(running, { key, testKey, id, commandLine });
    }
    return asExpected && bounced && announced && authentic;
  } finally {
    await running.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The settings with which the command line works on the demo's service. */
function commandLineSettings({ config }: Running): string {
  const { dataDir, certsDir, hostname, dnsServers, smtpPort } = config;
  const settings = {
    HOST: "127.0.0.1",
    DATA_DIR: dataDir,
    CERTS_DIR: certsDir,
    MTA_HOSTNAME: hostname,
    SENDING_IPS: "127.0.0.1",
    DNS_SERVERS: dnsServers.join(","),
    SMTP_PORT: smtpPort,
    SMTP_ALLOW_PRIVATE: "true",
    WEBHOOK_ALLOW_PRIVATE: "true",
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}

interface Stay {
  key: string;
  testKey: string;
  id: string;
  commandLine: string;
}

async function stayUp(running: Running, { key, testKey, id, commandLine }: Stay): Promise<void> {
  const { url, submissionPort } = running.service;
  const mail = { from: `hello@${SENDER_DOMAIN}`, to: [`delivered@${RECIPIENT_DOMAIN}`], subject: "Hello", text: "Hi" };
  const send = (sender: string): string =>
    `curl -s ${url}/api/sending/send -H 'Authorization: Bearer ${sender}' -H 'Content-Type: application/json' -d '${JSON.stringify(mail)}'`;
  const smtp = `curl -sv smtp://127.0.0.1:${submissionPort} --user 'shop:${key}' --mail-from ${mail.from} --mail-rcpt ${mail.to[0]} -T -`;
  step("Staying up until Ctrl-C. Try, in a browser or another terminal:");
  print(`  The dashboard at ${url}/dashboard   (sign in as ${ADMIN.email}, password ${ADMIN.password})`);
  const commands: [does: string, command: string][] = [
    ["Send with a test key; the message does not leave the service", send(testKey)],
    ["Send with the key from above; the SMTP sink stores the message", send(key)],
    ["The same over SMTP", `printf 'From: ${mail.from}\\r\\nSubject: Hello\\r\\n\\r\\nHi\\r\\n' | ${smtp}`],
    ["Look up the demo's message", `curl -s ${url}/api/sending/messages/${id} -H 'Authorization: Bearer ${key}'`],
    ["List events", `curl -s '${url}/api/sending/events?limit=10' -H 'Authorization: Bearer ${key}'`],
    [
      "List the queue; other commands need the same settings",
      `${commandLineSettings(running)} ${commandLine} queue list`,
    ],
  ];
  for (const [does, command] of commands) print(`\n  ${does}:\n    ${command}`);
  const keepAlive = setInterval(() => {}, 60_000);
  const signal = new Promise((resolve) => process.once("SIGINT", resolve).once("SIGTERM", resolve));
  await Promise.race([signal, outputClosed]);
  clearInterval(keepAlive);
}

const USAGE =
  "npm run demo [-- --stay]: shows the delivery of a message on this machine; --stay keeps the service running until Ctrl-C";

/** Whether to keep running at the end, or the exit code if the arguments are wrong or ask for help. */
function readArguments(args: string[]): boolean | number {
  const help = { type: "boolean", short: "h", default: false } as const;
  try {
    const { values } = parseArgs({ args, options: { stay: { type: "boolean", default: false }, help } });
    if (!values.help) return values.stay;
    print(USAGE);
    return 0;
  } catch (error) {
    process.stderr.write(`demo: ${argumentFault(error)}; usage: ${USAGE}\n`);
    return 2;
  }
}

/** Resolves with the exit code. `commandLine` is how a user of this installation begins a command. */
export async function runDemo(args: string[], commandLine: string): Promise<number> {
  const stay = readArguments(args);
  if (typeof stay === "number") return stay;
  const good = await run(stay, commandLine);
  print(good ? "\n✔ All results are as expected." : "\n✘ Not all results are as expected.");
  return good ? 0 : 1;
}

if (isEntry(import.meta.url)) process.exitCode = await runDemo(process.argv.slice(2), "npm run -s cli --");
