/** The page of nodes: what it lists, draining with a confirmation, resuming, and the page without a database. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { addUser, install, installWithOperator, OPERATOR } from "../../support/dashboard/installation.ts";
import { type Client, clientOf } from "../../support/dashboard/sign-in.ts";
import { freshDatabase } from "../../support/postgres/fresh-database.ts";
import { missingPostgres } from "../../support/postgres/installation.ts";
import { startSecondService } from "../../support/second-service.ts";

const textOf = async (client: Client, path: string): Promise<string> => (await client.get(path)).text();
const rowOf = (page: string, name: string): string =>
  page.match(/<tr>.*?<\/tr>/gs)?.find((row) => row.includes(`>${name}<`)) ?? "";
const wordsOf = (row: string): string =>
  row
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
    .trim();

/** An operator's session at the node `a`, which shares its database with the node `b`. */
async function onTwoNodes(t: TestContext): Promise<{ client: Client; stopOther: () => Promise<void> }> {
  const { url } = await freshDatabase(t);
  const admin = { ADMIN_EMAIL: OPERATOR.email, ADMIN_PASSWORD: OPERATOR.password };
  const env = { DATABASE_URL: url, ...admin };
  const { url: at, dataDir, certsDir, zone } = await install(t, { env: { ...env, NODE_NAME: "a" } });
  const other = await startSecondService(t, {
    ...env,
    NODE_NAME: "b",
    DATA_DIR: dataDir,
    CERTS_DIR: certsDir,
    DNS_SERVERS: zone.address,
    PORT: "0",
    HOST: "127.0.0.1",
    SENDING_IPS: "198.51.100.7,2001:db8::7",
  });
  return { client: await clientOf(at), stopOther: () => other.stop() };
}

/** Resolves once the row of a node has these words. */
async function untilRow(client: Client, name: string, words: RegExp): Promise<void> {
  while (!words.test(wordsOf(rowOf(await textOf(client, "/operator/nodes"), name))));
}

describe("the page of nodes", { skip: missingPostgres(), timeout: 120_000 }, () => {
  it("lists each node with its state, leases, rate and addresses, as long as it runs", async (t) => {
    const { client, stopOther } = await onTwoNodes(t);
    const page = await textOf(client, "/operator/nodes");
    assert.match(page, /2 nodes on one database: 0 recipients delivered in the last minute/);
    assert.match(
      wordsOf(rowOf(page, "a")),
      /^a \(this one\) 127\.0\.0\.1 · [\w.-]+ Live (now|\d+ s ago) 0 0 a minute 127\.0\.0\.1 Drain …$/,
    );
    assert.match(wordsOf(rowOf(page, "b")), /^b 127\.0\.0\.1 · [\w.-]+ Live .* 198\.51\.100\.7 2001:db8::7 Drain …$/);
    assert.match(page, /aria-label="Drain: a"/);

    const version = async () =>
      ((await (await client.get("/operator/nodes/state")).json()) as { version: string }).version;
    const { length } = JSON.parse(await version());
    assert.equal(length, 2);
    await stopOther();
    assert.equal(JSON.parse(await version()).length, 1);
  });

  it("drains a node after a confirmation, and resumes it", async (t) => {
    const { client } = await onTwoNodes(t);
    const asked = await textOf(client, "/operator/nodes/drain?name=b");
    assert.match(asked, /<h1>Drain b\?<\/h1>/);
    await untilRow(client, "b", / Live /);

    assert.match(await client.submit("/operator/nodes/drain", { name: "b" }), /notice good.*The node drains/s);
    await untilRow(client, "b", / Drained .* Resume$/);
    const last = await client.submit("/operator/nodes/drain", { name: "a" });
    assert.match(last, /notice bad.*no other node would send/s);

    assert.match(await client.submit("/operator/nodes/resume", { name: "b" }), /notice good.*The node sends again/s);
    await untilRow(client, "b", / Live /);
    assert.match(await client.submit("/operator/nodes/resume", { name: "b" }), /notice warn.*resumed already/s);
  });

  it("has nothing to confirm for a node that has ended", async (t) => {
    const { client } = await onTwoNodes(t);
    assert.match(await client.submit("/operator/nodes/drain", { name: "gone" }), /notice warn.*has ended meanwhile/s);
    const answer = await client.get("/operator/nodes/drain?name=gone");
    assert.equal(answer.headers.get("location"), "/dashboard/operator/nodes?done=gone");
  });
});

it("without a database the page says that there is one service, and there is nothing to drain", async (t) => {
  const installation = await installWithOperator(t);
  const client = await clientOf(installation.url);
  const page = await textOf(client, "/operator/nodes");
  assert.match(page, /This installation is one service/);
  assert.doesNotMatch(page, /data-live/);
  for (const action of ["drain", "resume"])
    assert.equal((await client.post(`/operator/nodes/${action}`, { name: "a" })).status, 404);
});

it("only operators see it", async (t) => {
  const installation = await installWithOperator(t);
  const user = await clientOf(installation.url, await addUser(installation, "other", "bob@other.example"));
  for (const path of ["/operator/nodes", "/operator/nodes/state", "/operator/nodes/drain?name=a"])
    assert.equal((await user.get(path)).status, 404, path);
  assert.equal((await user.post("/operator/nodes/drain", { name: "a" })).status, 404);
  assert.doesNotMatch(await textOf(user, ""), /operator\/nodes/);
});
