/** The connections and messages a minute of several nodes at one destination: together they never have more than its hosts allow. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { LimitedPeer } from "../support/limited-peer.ts";
import { freeAddress, publish, until } from "../support/peers.ts";
import { freshDatabase } from "../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../support/postgres/installation.ts";
import { startScriptedSmtp } from "../support/scripted-smtp.ts";
import { startSecondService } from "../support/second-service.ts";
import { sendBody, startWorld, type World } from "../support/world.ts";

const DOMAIN = "limited.example";

interface Nodes {
  world: World;
  urls: string[];
  peer: LimitedPeer;
}

/** Three nodes on one database, and a peer that allows two connections. */
async function startNodes(t: TestContext): Promise<Nodes> {
  const { url } = await freshDatabase(t);
  const env = { DATABASE_URL: url, DESTINATION_LIMITS: `${DOMAIN}=2` };
  const world = await startWorld(t, { ...env, NODE_NAME: "a" });
  const urls = [world.service.url];
  for (const name of ["b", "c"]) urls.push((await startSecondService(t, { ...world.env, NODE_NAME: name })).url);
  const place = { host: freeAddress(), port: Number(world.env.SMTP_PORT) };
  const peer = await LimitedPeer.start({ ...place, connectionsMax: 2, replyMs: 5 });
  t.after(() => peer.smtp.close());
  publish(world, DOMAIN, [place.host]);
  return { world, urls, peer };
}

/** Sends messages to the nodes in turn. */
async function sendTo(urls: readonly string[], count: number, { world }: Pick<Nodes, "world">): Promise<void> {
  const send = async (i: number): Promise<void> => {
    const response = await fetch(`${urls[i % urls.length]}/api/sending/send`, {
      method: "POST",
      headers: { Authorization: `Bearer ${world.key}`, "Content-Type": "application/json" },
      body: JSON.stringify(sendBody({ to: `user${i}@${DOMAIN}` })),
    });
    assert.equal(response.status, 202);
  };
  for (let i = 0; i < count; i += 10) await Promise.all(Array.from({ length: 10 }, (_, n) => send(i + n)));
}

describe("connections of several nodes", { skip: missingPostgresOrTime(), timeout: 180_000 }, () => {
  it("together never exceed a limit of two, wherever the mail is", async (t) => {
    const nodes = await startNodes(t);
    const { peer, urls } = nodes;
    await sendTo(urls, 240, nodes);
    await until("all deliveries", () => peer.smtp.transactions.length === 240);
    await sendTo(urls.slice(2), 60, nodes);
    await until("the deliveries of one node", () => peer.smtp.transactions.length === 300);
    await sendTo(urls.slice(0, 2), 60, nodes);
    await until("the deliveries of the others", () => peer.smtp.transactions.length === 360);
    assert.deepEqual({ mostOpen: peer.mostOpen, refused: peer.refused }, { mostOpen: 2, refused: 0 });
  });

  it("begin together no more messages a minute than a receiver allows", async (t) => {
    const { url } = await freshDatabase(t);
    const world = await startWorld(t, { DATABASE_URL: url, NODE_NAME: "a" });
    const urls = [world.service.url, (await startSecondService(t, { ...world.env, NODE_NAME: "b" })).url];
    const beganMs: number[] = [];
    const place = { host: freeAddress(), port: Number(world.env.SMTP_PORT) };
    const smtp = await startScriptedSmtp({ ...place, script: { mail: () => void beganMs.push(performance.now()) } });
    t.after(() => smtp.close());
    // Yahoo! Japan's: 600 a minute, of which 30 at once.
    world.zone.set(DOMAIN, "MX", ["10 mx1.mail.yahoo.co.jp."]);
    world.zone.set("mx1.mail.yahoo.co.jp", "A", [place.host]);
    const sentMs = performance.now();
    await sendTo(urls, 120, { world });
    await until("all deliveries", () => smtp.transactions.length === 120);
    for (const [i, ms] of beganMs.entries()) {
      const most = 30 + ((ms - sentMs) / 60_000) * 600;
      assert.ok(i <= most, `message ${i + 1} began ${Math.round(ms - sentMs)} ms after the first`);
    }
  });
});
