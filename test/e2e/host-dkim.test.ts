/** The second signature, by the host's own domain, as receivers verify it. */
import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import type { SinkEntry } from "../../src/sink.ts";
import { valuesOf } from "../support/mime.ts";
import { runCli } from "../support/run-cli.ts";
import { SubmissionClient } from "../support/submission-client.ts";
import { tempDir } from "../support/temp-dir.ts";
import { RECIPIENT_DOMAIN, SENDER_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const RECORD = `v=DKIM1; k=rsa; p=${createPublicKey(privateKey).export({ type: "spki", format: "der" }).toString("base64")}`;
const HOST_DOMAIN = "mail.host.example";

async function hostWorld(t: TestContext, domain: string, env: Record<string, string> = {}): Promise<World> {
  const file = join(tempDir(t), "host.pem");
  writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }));
  const settings = { HOST_DKIM_DOMAIN: domain, HOST_DKIM_SELECTOR: "h1", HOST_DKIM_KEY_FILE: file };
  const world = await startWorld(t, { ...settings, ...env });
  world.zone.set(`h1._domainkey.${domain}`, "TXT", [RECORD]);
  return world;
}

async function entryOf(world: World, id: string): Promise<SinkEntry> {
  const { message_id } = (await (await world.lookUp(id, "?wait=20")).json()) as { message_id: string };
  return world.sink.entries.find((entry) => entry.message_id === message_id) ?? assert.fail(id);
}

async function sent(world: World, parts: Record<string, unknown> = {}): Promise<SinkEntry> {
  const { id } = (await (await world.post(sendBody(parts))).json()) as { id: string };
  return entryOf(world, id);
}

const signers = ({ dkim }: SinkEntry): unknown[] =>
  dkim.signatures.map(({ domain, selector, result }) => [domain, selector?.replace(/^pr\w+/, "pr"), result]);

const BOTH = [
  [SENDER_DOMAIN, "pr", "pass"],
  [HOST_DOMAIN, "h1", "pass"],
];

test("HOST_DKIM_DOMAIN signs every message beside its sender's domain", { timeout: 60_000 }, async (t) => {
  const world = await hostWorld(t, HOST_DOMAIN, { SUBMISSION_PORT: "0", SUBMISSION_ALLOW_PLAINTEXT: "true" });

  await t.test("by HTTP, also those that are signed ahead, and DMARC goes by the sender's", async () => {
    const entries = await Promise.all(Array.from({ length: 20 }, (_, n) => sent(world, { subject: `Hi ${n}` })));
    for (const entry of entries) {
      assert.deepEqual(signers(entry), BOTH);
      assert.deepEqual([entry.dkim.domain, entry.dmarc.result], [SENDER_DOMAIN, "pass"]);
    }
    assert.deepEqual(signers(await sent(world, { text: "long ".repeat(100_000) })), BOTH);
  });

  await t.test("over the same fields", async () => {
    const { file } = await sent(world, { headers: { "Feedback-ID": "a:b:c:sender" } });
    const content = readFileSync(join(dirname(world.env.DATA_DIR ?? ""), "sink", file ?? ""));
    const [own, host] = valuesOf(content, "DKIM-Signature").map((field) => /\bh=([^;]+)/.exec(field)?.[1]);
    assert.ok(own?.includes("feedback-id"), own);
    assert.equal(host, own);
  });

  await t.test("by SMTP, for a sender's subdomain too", async (t) => {
    const client = await SubmissionClient.open(t, world.service.submissionPort ?? 0);
    assert.match(await client.authenticate(world.key), /^235 /);
    const content = `From: hello@news.${SENDER_DOMAIN}\r\nSubject: Hi\r\n\r\nHällo\r\n`;
    const reply = await client.send({ to: [`ann@${RECIPIENT_DOMAIN}`], content });
    const [, id = ""] = /^250 2\.0\.0 Accepted as (\S+)/.exec(reply) ?? [];
    assert.deepEqual(signers(await entryOf(world, id)), BOTH);
  });

  await t.test("and the doctor finds its record", async () => {
    const { stdout } = await runCli(["doctor", "--json"], world.env);
    const findings = JSON.parse(stdout) as { check: string; state: string; detail: string }[];
    const found = findings.find(({ check }) => check === "host_dkim");
    assert.deepEqual([found?.state, found?.detail], ["ok", `Our key is published at h1._domainkey.${HOST_DOMAIN}.`]);
  });
});

test("a domain that is the host's and the sender's signs once, with the sender's key", async (t) => {
  const world = await hostWorld(t, SENDER_DOMAIN);
  assert.deepEqual(signers(await sent(world)), [BOTH[0]]);
});

test("without it a message has its sender's signature alone", async (t) => {
  const world = await startWorld(t);
  assert.deepEqual(signers(await sent(world)), [BOTH[0]]);
});
