/** A program with the installed client: sends, waits, lists, follows events, manages, and verifies a webhook. Prints what it found. */
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Postrider, PostriderError, responseOf, verifyWebhook, WebhookVerificationError } from "postrider-client";

const { POSTRIDER_URL = "", POSTRIDER_KEY = "", FROM = "", TO = "" } = process.env;
const client = new Postrider({ url: POSTRIDER_URL, key: POSTRIDER_KEY });

async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  const error = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(error instanceof PostriderError)) return error;
  return [error.status, error.code, error.errors.map(({ field }) => field), error.requestId !== null];
}

async function messages() {
  const ids: string[] = [];
  for (const subject of ["One", "Two", "Three"])
    ids.push((await client.send({ from: FROM, to: TO, subject, text: "Hi" })).id);
  const again = { idempotencyKey: "again" };
  const first = await client.send({ from: FROM, to: [TO], subject: "Again", html: "<p>Hi</p>" }, again);
  const second = await client.send({ from: FROM, to: [TO], subject: "Again", html: "<p>Hi</p>" }, again);
  ids.push(first.id);
  const results: string[] = [];
  for (const id of ids)
    for (const { result } of (await client.lookUpMessage(id, { wait: 60 })).recipients) results.push(result);
  const page = await client.listMessages({ limit: 1 });
  const iterated: string[] = [];
  for await (const message of client.iterateMessages({ limit: 2 })) iterated.push(message.id);
  const events: string[] = [];
  let cursor: string | null = null;
  const onPage = (next: string | null): void => {
    cursor = next;
  };
  for await (const event of client.iterateEvents({ limit: 3, onPage })) events.push(event.type);
  const rest: string[] = [];
  for await (const event of client.iterateEvents({ after: cursor ?? "" })) rest.push(event.type);
  return {
    results,
    isRepeated: first.id === second.id && responseOf(second).isReplayed && !responseOf(first).isReplayed,
    isPage: page.messages.length === 1 && page.messages[0]?.id === ids.at(-1) && page.next_cursor !== null,
    areAllIterated: iterated.toSorted().join() === ids.toSorted().join(),
    events: events.toSorted(),
    rest,
  };
}

async function management() {
  const domain = await client.addDomain({ name: "other.example" });
  const names: string[] = [];
  for await (const { domain } of client.iterateDomains({ limit: 1 })) names.push(domain);
  const created = await client.createKey({ name: "website", permissions: ["send"], domains: ["other.example"] });
  const key = await client.getKey(created.id);
  const ifMatch = responseOf(key).etag ?? "";
  const changed = await client.changeKey(key.id, { name: "shop" }, { ifMatch });
  const stale = await codeOf(client.changeKey(key.id, { name: "late" }, { ifMatch }));
  const removed = await client.removeDomain("other.example");
  const exported = await client.exportSuppressions({ format: "csv" });
  const imported = await client.importSuppressions("email\nann@example.org\n", { type: "text/csv", dry_run: "true" });
  return {
    records: domain.records.map(({ type }) => type),
    names: names.toSorted(),
    isKey: created.key.startsWith("svc_live_"),
    changed: changed.name,
    stale,
    isRemoved: removed === undefined,
    exported: exported.split(/\r?\n/)[0],
    imported: typeof imported,
  };
}

async function webhook() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { id, secret } = await client.createWebhook({
    url: `http://127.0.0.1:${port}/`,
    events: ["recipient.delivered"],
  });
  const tested = client.testWebhook(id);
  const [request, response] = await once(server, "request");
  const { headers } = request as IncomingMessage;
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  response.writeHead(204).end();
  const { status } = await tested;
  const { type, data } = await verifyWebhook({ body, headers, secret: [`whsec_${btoa("another secret")}`, secret] });
  const text = `${body.toString()} `;
  const changed = await verifyWebhook({ body: text, headers, secret }).catch((error: unknown) => error);
  server.close();
  await client.removeWebhook(id);
  return { status, type, isTest: data.test, isRejected: changed instanceof WebhookVerificationError };
}

const invalid = await codeOf(client.send({ from: FROM, to: "nobody", subject: "S", text: "T" }));
const unknown = await codeOf(client.lookUpMessage("msg_unknown"));
const health = (await client.health()).status;
const found = {
  messages: await messages(),
  management: await management(),
  webhook: await webhook(),
  invalid,
  unknown,
  health,
};
process.stdout.write(JSON.stringify(found));
