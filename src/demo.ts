/**
 * `npm run demo`: the whole main job on loopback. A DNS zone, an SMTP sink and the real service start here; a domain
 * is bound and verified, a key made, a message sent over HTTP, and each recipient's result shown as it settles.
 * Nothing leaves this machine, and everything is written to a temporary directory.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bindDomain, verifyNow } from "./app/bind-domain.ts";
import { startService } from "./app/wiring/service.ts";
import { readConfig } from "./config.ts";
import { createResolver } from "./dns/node-resolver.ts";
import { recordsToPublish } from "./domains/records.ts";
import { silentLog } from "./lib/log.ts";
import { newApiKey } from "./security/api-key.ts";
import { openVault } from "./security/vault.ts";
import { startSink } from "./sink.ts";
import { CHECK_NAMES } from "./spool/port/domains.ts";
import { startZoneServer } from "./testing/zone-server.ts";

const SENDER_DOMAIN = "shop.example";
const RECIPIENT_DOMAIN = "customers.example";
const HOSTNAME = "mta.shop.example";

/** Each recipient, and what should have become of it at the end. */
const EXPECTED: Record<string, { result: string; because: string }> = {
  delivered: { result: "delivered", because: "the mail exchanger takes it at once" },
  "greylist-2": { result: "delivered", because: "refused twice with 451, then taken: greylisting" },
  "5xx-550": { result: "failed", because: "refused for good by the mail exchanger" },
  "4xx-451": { result: "pending", because: "refused for the time being, tried again later" },
  "drop-after-dot": { result: "unknown", because: "the connection died after the final dot: taken or not?" },
};

/** Of a service that only loopback reaches and that ends with the demo. */
const ADMIN = { email: `you@${SENDER_DOMAIN}`, password: "see-it-work" };

const SETTLE_LIMIT_MS = 30_000;
const LOOK_MS = 100;

interface Recipient {
  email: string;
  result: string;
  reason: string | null;
  attempts: number;
  smtp: { code: number; message: string; mx: string } | null;
}

const say = (line = ""): void => void process.stdout.write(`${line}\n`);
/** Nobody reads on, as behind `| head`: the demo still ends as it should, and tidies up. */
const unread = new Promise<void>((resolve) => void process.stdout.on("error", () => resolve()));
const step = (title: string): void => say(`\n▸ ${title}`);

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
    RETRY_SCHEDULE: "1s,1s,1h",
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
  };
}

/** Starts zone, sink and service; what it returns ends them in turn. */
async function startAll(dir: string) {
  const zone = await startZoneServer();
  const resolver = createResolver({ servers: [zone.address] });
  const sink = await startSink({ port: 0, dir: join(dir, "sink-mail"), resolver });
  zone.set(RECIPIENT_DOMAIN, "MX", [`10 mx.${RECIPIENT_DOMAIN}`]);
  zone.set(`mx.${RECIPIENT_DOMAIN}`, "A", ["127.0.0.1"]);
  zone.set(HOSTNAME, "A", ["127.0.0.1"]);
  zone.set(`mail.${SENDER_DOMAIN}`, "A", ["127.0.0.1"]);
  const config = readConfig(environment({ dir, zone: zone.address, smtpPort: sink.port }));
  const service = await startService(config, silentLog, {
    onFatal(error) {
      throw error;
    },
  });
  say(`  DNS zone   ${zone.address}`);
  say(`  SMTP sink  127.0.0.1:${sink.port}   (keeps mail in ${join(dir, "sink-mail")})`);
  say(`  Postrider  ${service.url}`);
  say(`  Dashboard  ${service.url}/dashboard   (with --stay: sign in as ${ADMIN.email}, password ${ADMIN.password})`);
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
  if (bound.type !== "bound") throw new Error(`the demo's domain could not be bound: ${bound.type}`);
  const context = { resolver, hostname: HOSTNAME, sendingIps: ["127.0.0.1"], allowPrivate: true };
  for (const record of recordsToPublish(bound.domain, context)) {
    const shown = record.value.length > 60 ? `${record.value.slice(0, 57)}…` : record.value;
    say(`  ${record.check.padEnd(10)} ${record.name}  ${record.type}  ${shown}`);
    zone.set(record.name, record.type, [record.value]);
  }
  step("Published in the zone; each check is verified by itself");
  const { checks, verified } = await verifyNow(service.registry, bound.domain, { context, nowMs: Date.now() });
  for (const name of CHECK_NAMES) say(`  ${name.padEnd(10)} ${checks[name].state}`);
  if (!verified) throw new Error("the demo's domain did not verify");
}

async function createKey({ service, config: { keysMax } }: Running, accountId: string): Promise<string> {
  const { key, hash, lastFour } = newApiKey();
  await service.registry.createKey({ accountId, name: "demo", hash, lastFour, createdAtMs: Date.now(), keysMax });
  say(`  ${key}   (shown once; stored as a hash)`);
  return key;
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
  say(`  POST /api/sending/send → ${response.status} ${JSON.stringify(answer)}`);
  if (response.status !== 202) throw new Error("the demo's message was not accepted");
  return answer.id;
}

const isAsExpected = (recipient: Recipient): boolean => {
  const local = recipient.email.split("@")[0] ?? "";
  const tried = recipient.result !== "pending" || recipient.attempts > 0;
  return tried && recipient.result === EXPECTED[local]?.result;
};

/** Prints each change as it shows in the lookup, until all are as expected or the time is over. */
async function watch({ service }: Running, key: string, id: string): Promise<boolean> {
  const startMs = Date.now();
  const told = new Map<string, string>();
  for (;;) {
    const headers = { Authorization: `Bearer ${key}` };
    const response = await fetch(`${service.url}/api/sending/messages/${id}`, { headers });
    const { recipients } = (await response.json()) as { recipients: Recipient[] };
    for (const r of recipients) {
      const reply = r.smtp === null ? (r.reason ?? "") : `${r.smtp.code} ${r.smtp.message}`;
      const line = `${r.email.padEnd(34)} ${r.result.padEnd(10)} attempt ${r.attempts}  ${reply}`;
      if (r.attempts === 0 || told.get(r.email) === line) continue;
      told.set(r.email, line);
      say(`  ${((Date.now() - startMs) / 1000).toFixed(1).padStart(4)} s  ${line}`);
    }
    const settled = recipients.every(isAsExpected);
    if (settled || Date.now() - startMs > SETTLE_LIMIT_MS) return settled;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function showReceived({ sink }: Running): boolean {
  for (const entry of sink.entries) {
    const { dkim, spf, dmarc, rcpt_to } = entry;
    say(`  for ${rcpt_to.join(", ")}: DKIM ${dkim.result}, SPF ${spf.result}, DMARC ${dmarc.result}`);
  }
  return sink.entries.length > 0 && sink.entries.every((e) => e.dkim.result === "pass" && e.dmarc.result === "pass");
}

async function run(stay: boolean): Promise<boolean> {
  const dir = mkdtempSync(join(tmpdir(), "postrider-demo-"));
  step("Starting, on loopback only");
  const running = await startAll(dir);
  try {
    const account = await running.service.registry.accountNamed("default");
    if (account === null) throw new Error("there is no default account");
    step(`Binding ${SENDER_DOMAIN}: five records to publish`);
    await bindAndVerify(running, account.id);
    step("Creating an API key");
    const key = await createKey(running, account.id);
    step("Sending one message to five recipients");
    const id = await send(running, key);
    step("Results, one for each recipient");
    const asExpected = await watch(running, key, id);
    step("Why");
    for (const [local, { result, because }] of Object.entries(EXPECTED)) {
      say(`  ${local.padEnd(16)} ${result.padEnd(10)} ${because}`);
    }
    step("What the recipient's side says of the mail");
    const authentic = showReceived(running);
    if (stay) await stayUp(running, { key, id });
    return asExpected && authentic;
  } finally {
    await running.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The settings that the command line needs to work beside the demo's service. */
function commandLineSettings({ config }: Running): string {
  const { dataDir, certsDir, hostname, dnsServers, smtpPort } = config;
  const settings = {
    ...{ DATA_DIR: dataDir, CERTS_DIR: certsDir, MTA_HOSTNAME: hostname, SENDING_IPS: "127.0.0.1" },
    ...{ DNS_SERVERS: dnsServers.join(","), SMTP_PORT: smtpPort, SMTP_ALLOW_PRIVATE: "true" },
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}

async function stayUp(running: Running, { key, id }: { key: string; id: string }): Promise<void> {
  const { service } = running;
  step("Staying up until Ctrl-C. Try:");
  say(`  the dashboard at ${service.url}/dashboard, as ${ADMIN.email}, password ${ADMIN.password}`);
  say(`  curl -s ${service.url}/api/sending/messages/${id} -H 'Authorization: Bearer ${key}'`);
  say(`  ${commandLineSettings(running)} npm run -s cli -- queue list`);
  const keepAlive = setInterval(() => {}, 60_000);
  const asked = new Promise((resolve) => process.once("SIGINT", resolve).once("SIGTERM", resolve));
  await Promise.race([asked, unread]);
  clearInterval(keepAlive);
}

const USAGE =
  "npm run demo [-- --stay]: shows the whole way of a message on this machine; --stay keeps it up until Ctrl-C";

/** Whether it is to stay up; null where the arguments are not the demo's, or ask for help. */
function readArguments(): boolean | null {
  const help = { type: "boolean", short: "h", default: false } as const;
  try {
    const { values } = parseArgs({ options: { stay: { type: "boolean", default: false }, help } });
    if (!values.help) return values.stay;
    say(USAGE);
  } catch (error) {
    const [what] = (error as Error).message.split(/\.\s|\n/);
    process.stderr.write(`demo: ${what?.replace(/\.$/, "")}; usage: ${USAGE}\n`);
    process.exitCode = 2;
  }
  return null;
}

const stay = readArguments();
if (stay !== null) {
  const good = await run(stay);
  say(good ? "\n✔ All results are as expected." : "\n✘ Not all results are as expected.");
  process.exitCode = good ? 0 : 1;
}
