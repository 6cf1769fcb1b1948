/** Feedback-ID, from every way in to the receiver. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { valuesOf } from "../support/mime.ts";
import { type Batch, type Email, email, ResendApi } from "../support/resend-api.ts";
import { runCli } from "../support/run-cli.ts";
import { SubmissionClient } from "../support/submission-client.ts";
import { RECIPIENT_DOMAIN, SENDER_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

const SUBMISSION = { SUBMISSION_PORT: "0", SUBMISSION_ALLOW_PLAINTEXT: "true" };
const OWN = "own:one:of:client";
const fieldOf = (tag: string): string => `${tag}:${SENDER_DOMAIN}:acc_default:postrider`;

async function valuesAtReceiver(world: World, id: string): Promise<string[]> {
  const { message_id } = (await (await world.lookUp(id, "?wait=20")).json()) as { message_id: string };
  return valuesOfDelivered(world, message_id);
}

/** The field's values in a delivered message, whose signature must cover the field. */
function valuesOfDelivered(world: World, messageId: string): string[] {
  const entry = world.sink.entries.find(({ message_id }) => message_id === messageId);
  assert.ok(entry?.file, messageId);
  assert.equal(entry.dkim.result, "pass", JSON.stringify(entry.dkim));
  const content = readFileSync(join(dirname(world.env.DATA_DIR ?? ""), "sink", entry.file));
  const values = valuesOf(content, "Feedback-ID");
  const [, names = ""] = /\sh=([^;]+);/.exec(valuesOf(content, "DKIM-Signature")[0] ?? "") ?? [];
  const signed = names.replace(/\s/g, "").toLowerCase().split(":");
  assert.equal(signed.filter((name) => name === "feedback-id").length, values.length);
  return values;
}

async function post(world: World, parts: Record<string, unknown>): Promise<string> {
  const answer = await world.post(sendBody(parts));
  const { id } = (await answer.json()) as { id: string };
  assert.equal(answer.status, 202, id);
  return id;
}

async function submit(client: SubmissionClient, fields: readonly string[]): Promise<string> {
  const lines = [`From: hello@${SENDER_DOMAIN}`, "Subject: Hi", ...fields, "", "Hi"];
  const content = lines.map((line) => `${line}\r\n`).join("");
  const reply = await client.send({ to: [`ann@${RECIPIENT_DOMAIN}`], content });
  return /^250 2\.0\.0 Accepted as (\S+)/.exec(reply)?.[1] ?? assert.fail(reply);
}

test("FEEDBACK_ID gives every message one signed field", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { ...SUBMISSION, FEEDBACK_ID: "postrider" });
  const client = await SubmissionClient.open(t, world.service.submissionPort ?? 0);
  assert.match(await client.authenticate(world.key), /^235 /);
  const api = new ResendApi(world);

  await t.test("by HTTP, short or composed on a thread", async () => {
    const tags = ["password reset", "de"];
    assert.deepEqual(await valuesAtReceiver(world, await post(world, { tags })), [fieldOf("password-reset")]);
    assert.deepEqual(await valuesAtReceiver(world, await post(world, { tags, text: "long ".repeat(50_000) })), [
      fieldOf("password-reset"),
    ]);
    assert.deepEqual(await valuesAtReceiver(world, await post(world, {})), [fieldOf("")]);
  });

  await t.test("by SMTP", async () => {
    assert.deepEqual(await valuesAtReceiver(world, await submit(client, ["X-Postrider-Tag: invoice"])), [
      fieldOf("invoice"),
    ]);
  });

  await t.test("in Resend's API and its batches", async () => {
    const tagged = email({ tags: [{ name: "category", value: "welcome" }] });
    const single = await api.ok<Pick<Email, "id">>("POST /emails", { body: tagged });
    const batch = await api.ok<Batch>("POST /emails/batch", { body: [tagged, email()] });
    const values = [single, ...batch.data].map(({ id }) => valuesAtReceiver(world, id));
    assert.deepEqual(await Promise.all(values), [
      [fieldOf("category-welcome")],
      [fieldOf("category-welcome")],
      [fieldOf("")],
    ]);
  });

  await t.test("on the command line", async () => {
    const addresses = ["--from", `hello@${SENDER_DOMAIN}`, "--to", `ann@${RECIPIENT_DOMAIN}`];
    const texts = ["--subject", "Hi", "--text", "Hi"];
    const { stdout } = await runCli(["send", ...addresses, ...texts, "--json", "--wait", "20"], world.env);
    const { message_id } = JSON.parse(stdout) as { message_id: string };
    assert.deepEqual(valuesOfDelivered(world, message_id), [fieldOf("")]);
  });

  await t.test("and keeps the message's own", async () => {
    const byHttp = await post(world, { tags: ["a"], headers: { "FEEDBACK-ID": OWN } });
    assert.deepEqual(await valuesAtReceiver(world, byHttp), [OWN]);
    assert.deepEqual(await valuesAtReceiver(world, await submit(client, [`feedback-id: ${OWN}`])), [OWN]);
  });
});

test("without FEEDBACK_ID a message has only its own field", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  assert.deepEqual(await valuesAtReceiver(world, await post(world, { tags: ["a"] })), []);
  assert.deepEqual(await valuesAtReceiver(world, await post(world, { headers: { "Feedback-ID": OWN } })), [OWN]);
});
