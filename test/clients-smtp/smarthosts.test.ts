/**
 * Postfix, Exim and nullmailer, which hand the mail of a host to the service as their smarthost: what they send arrives octet for octet,
 * what is rejected for good leaves their queue, and what is rejected for now is sent once, later.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { missingClients } from "../support/debian-clients.ts";
import {
  eximClient,
  nullmailerClient,
  postfixClient,
  type SmarthostClient,
  type StartSmarthostClient,
} from "../support/debian-smarthosts.ts";
import { until } from "../support/peers.ts";
import { accepted, arrived, SUBMITTER, type SubmissionSite, startSubmissionSite } from "../support/submission-site.ts";
import { assertArrived, builtMessage, UNBOUND_SENDER, UNKNOWN_KEY } from "./scenario.ts";
import { settingsOf } from "./settings.ts";

const skip = missingClients(["postfix", "exim4-daemon-light", "nullmailer"]);

interface Smarthost {
  name: string;
  /** In the document. */
  heading: string;
  start: StartSmarthostClient;
}

const SMARTHOSTS: readonly Smarthost[] = [
  { name: "Postfix", heading: "Postfix as a smarthost client", start: postfixClient },
  { name: "Exim", heading: "Exim as a smarthost client", start: eximClient },
  { name: "nullmailer", heading: "nullmailer", start: nullmailerClient },
];

for (const smarthost of SMARTHOSTS) {
  test(`${smarthost.name} as a smarthost client`, { timeout: 90_000, skip }, async (t) => {
    const site = await startSubmissionSite(t);
    await t.test("with STARTTLS", async (t) => {
      const client = await started(t, site, smarthost, {});
      await t.test("sends", () => sends(site, client, `${smarthost.name} STARTTLS`));
      await t.test("sends what was rejected for now, once, later", () => sendsLater(site, client, smarthost.name));
      await t.test("does not try again what was rejected for good", () => givesUp(site, client, smarthost.name));
    });
    await t.test("under TLS from the first octet", async (t) => {
      const client = await started(t, site, smarthost, { isTls: true });
      await sends(site, client, `${smarthost.name} TLS`);
    });
    await t.test("keeps messages while its key is not valid", async (t) => {
      const client = await started(t, site, smarthost, { key: UNKNOWN_KEY });
      await submitted(client, "Bestellung");
      await until("the rejection", () => /535|5\.7\.8/.test(client.log()));
      assert.equal(await client.queued(), 1, client.log());
    });
  });
}

function started(
  t: TestContext,
  { world, port, tlsPort, authority }: SubmissionSite,
  { heading, start }: Smarthost,
  { isTls = false, key = world.key }: { isTls?: boolean; key?: string },
): Promise<SmarthostClient> {
  const blocks = settingsOf(heading, { port: isTls ? tlsPort : port, key });
  return start(t, { blocks, isTls, authority });
}

async function submitted(client: SmarthostClient, subject: string, sender = SUBMITTER): Promise<void> {
  const { code, output } = await client.submit(builtMessage({ subject, sender }), sender);
  assert.equal(code, 0, output);
}

async function sends(site: SubmissionSite, client: SmarthostClient, subject: string): Promise<void> {
  await submitted(client, subject);
  await isAccepted(site, client, subject);
}

/** Waits until it is accepted, and has left the queue. */
async function isAccepted(site: SubmissionSite, client: SmarthostClient, subject: string): Promise<void> {
  const ids = (): Promise<string[]> => accepted(site, subject);
  await until("the acceptance", async () => (await ids()).length > 0).catch((cause) => withLog(client, cause));
  await until("an empty queue", async () => (await client.queued()) === 0).catch((cause) => withLog(client, cause));
  const [id = "", ...others] = await ids();
  assert.deepEqual(others, []);
  assertArrived(await arrived(site, id), { subject, sender: SUBMITTER }, { isTransport: true });
}

function withLog(client: SmarthostClient, cause: unknown): never {
  throw new Error(`its log has:\n${client.log()}`, { cause });
}

/** The account's quota is used up, and raised later. */
async function sendsLater(site: SubmissionSite, client: SmarthostClient, name: string): Promise<void> {
  const { registry } = site.world.service;
  const subject = `${name} later`;
  await registry.setQuota("acc_default", 1);
  await submitted(client, subject);
  await until("the rejection", () => /451.4\.7\.1/.test(client.log()));
  assert.equal(await client.queued(), 1, client.log());
  assert.deepEqual(await accepted(site, subject), []);
  await registry.setQuota("acc_default", 0);
  await client.flush();
  await isAccepted(site, client, subject);
}

async function givesUp(site: SubmissionSite, client: SmarthostClient, name: string): Promise<void> {
  const subject = `${name} unbound`;
  await submitted(client, subject, UNBOUND_SENDER);
  await until("the rejection", () => /550.5\.7\.1/.test(client.log()));
  await until("an empty queue", async () => (await client.queued()) === 0).catch((cause) => withLog(client, cause));
  assert.deepEqual(await accepted(site, subject), []);
}
