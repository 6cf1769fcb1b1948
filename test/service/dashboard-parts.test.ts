/** Per-account limits on domain checks, DKIM key generation and test events. */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { it, type TestContext } from "node:test";
import { installWithOperator } from "../support/dashboard/installation.ts";
import { clientOf } from "../support/dashboard/sign-in.ts";
import { until } from "../support/peers.ts";
import { startWebhookReceiver } from "../support/webhook-receiver.ts";

/** A DNS server that holds its responses, NXDOMAIN for every name, until it is released. */
async function startSilentServer(t: TestContext) {
  const socket = createSocket("udp4");
  const held: (() => void)[] = [];
  let silent = true;
  socket.on("message", (question, { port, address }) => {
    const answer = Buffer.from(question);
    // QR, RA and NXDOMAIN (RFC 1035 §4.1.1).
    answer.writeUInt16BE((question.readUInt16BE(2) | 0x8080) + 3, 2);
    const send = () => socket.send(answer, port, address);
    if (silent) held.push(send);
    else send();
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  t.after(() => socket.close());
  const release = (): void => {
    silent = false;
    for (const send of held.splice(0)) send();
  };
  return { address: `127.0.0.1:${socket.address().port}`, release };
}

it("an account's checks run one at a time, and too many are rejected with an error page", async (t) => {
  const dns = await startSilentServer(t);
  const installation = await installWithOperator(t, { env: { DNS_SERVERS: dns.address } });
  const client = await clientOf(installation.url);
  await client.post("/domains", { name: "shop.example" });
  const answered: Response[] = [];
  const asked = Array.from({ length: 9 }, async () => {
    answered.push(await client.post("/domains/shop.example/verify"));
  });
  await until("refusals", () => answered.length === 3);
  for (const refused of answered) {
    assert.equal(refused.status, 429);
    assert.match(await refused.text(), /Too many checks of this account's domains are waiting/);
  }
  dns.release();
  await Promise.all(asked);
  assert.deepEqual(
    answered.map(({ status }) => status),
    [429, 429, 429, 302, 302, 302, 302, 302, 302],
  );
  const html = await (await client.get("/domains/shop.example")).text();
  assert.match(html, /There is no TXT record at/);
});

it("an account's DKIM keys are generated one at a time, and at most ten wait", async (t) => {
  const installation = await installWithOperator(t);
  const client = await clientOf(installation.url);
  const names = Array.from({ length: 30 }, (_, i) => `d${i}.example`);
  const answers = await Promise.all(names.map((name) => client.post("/domains", { name })));
  const bound = answers.filter(({ status }) => status === 302).length;
  assert.equal(answers.filter(({ status }) => status === 429).length, 30 - bound);
  assert.ok(bound >= 11 && bound < 30, `${bound} were bound`);
  assert.equal((await installation.service.registry.domains("acc_default")).length, bound);
});

it("an account's test events are posted one at a time, and too many are rejected with an error page", async (t) => {
  const receiver = await startWebhookReceiver(t);
  const installation = await installWithOperator(t, { env: { WEBHOOK_ALLOW_PRIVATE: "true" } });
  const client = await clientOf(installation.url);
  await client.post("/webhooks", { url: receiver.url, all_types: "yes", all_keys: "yes", all_domains: "yes" });
  const [endpoint] = await installation.service.spool.endpoints("acc_default");
  let release = (): void => {};
  receiver.released = new Promise((resolve) => {
    release = resolve;
  });
  const answered: Response[] = [];
  const asked = Array.from({ length: 9 }, async () => {
    answered.push(await client.post(`/webhooks/${endpoint?.id}/test`));
  });
  await until("refusals", () => answered.length === 3);
  for (const refused of answered) {
    assert.equal(refused.status, 429);
    assert.match(await refused.text(), /Too many test events of this account are waiting/);
  }
  assert.ok(receiver.received.length <= 1);
  release();
  await Promise.all(asked);
  assert.equal(receiver.received.length, 6);
});
