/** The pages of the audit trail: whose entries they show, to whom, and in which form. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Role } from "../../../src/spool/port/memberships.ts";
import type { Store } from "../../../src/spool/port/store.ts";
import { cheapHash } from "../../support/cheap-hash.ts";
import { addUser, installWithOperator } from "../../support/dashboard/installation.ts";
import { type Client, clientOf } from "../../support/dashboard/sign-in.ts";

const textOf = async (client: Client, path: string): Promise<string> => (await client.get(path)).text();

it("shows owners their account's changes, and operators those of all accounts and the installation", async (t) => {
  const installation = await installWithOperator(t);
  const { url, service } = installation;
  const operator = await clientOf(url);
  const owner = await clientOf(url, await addUser(installation, "shop", "owner@shop.example"));
  await owner.post("/keys", { name: "<b>website</b>", kind: "live" });
  await operator.post("/operator/receivers", { name: "gmail", connections: "7" });
  await operator.post("/operator/receivers", { name: "gmail", connections: "9" });

  const ofShop = await textOf(owner, "/audit");
  assert.match(ofShop, /owner@<wbr\/?>shop\.<wbr\/?>example|owner@shop\.example/);
  assert.match(ofShop, /<code>key\.created<\/code>/);
  assert.match(ofShop, /&lt;b>website|&lt;b&gt;website/);
  assert.doesNotMatch(ofShop, /<b>website|receiver\.limits_set|Account<\/th>/);
  assert.match(ofShop, /from 127\.0\.0\.1/);
  assert.equal((await owner.get("/operator/audit")).status, 404);

  const all = await textOf(operator, "/operator/audit");
  assert.match(all, /key\.created.*shop/s);
  assert.match(all, /connections: 7 → 9/);
  assert.match(all, /Installation/);
  assert.doesNotMatch(await textOf(operator, "/audit"), /key\.created/);
  assert.doesNotMatch(
    await textOf(operator, "/operator/audit?action=receiver."),
    /key\.created<\/code>|sign_in<\/code>/,
  );
  assert.match(await textOf(operator, "/operator/audit?account=shop&by=OWNER"), /key\.created/);
  assert.match(await textOf(operator, "/operator/audit?account=none"), /No changes found/);
  assert.match(await textOf(operator, "/users"), /href="\/dashboard\/audit"/);

  const store = service.spool as Store;
  const account = await store.accountNamed("shop");
  const signedIn = async (role: Role): Promise<Client> => {
    const email = `${role}@shop.example`;
    const user = {
      email,
      accountId: account?.id ?? "",
      passwordHash: cheapHash("a password of mine"),
      operator: false,
      role,
    };
    await store.createUser({ ...user, createdAtMs: 1, usersMax: 10 });
    return clientOf(url, { email, password: "a password of mine" });
  };
  for (const role of ["developer", "viewer"] as const) {
    const client = await signedIn(role);
    assert.equal((await client.get("/audit")).status, 403, role);
    assert.doesNotMatch(await textOf(client, "/users"), /href="\/dashboard\/audit"/);
  }
});

it("shows the trail in pages", async (t) => {
  const { url, service } = await installWithOperator(t);
  const operator = await clientOf(url);
  const entry = {
    atMs: 1,
    accountId: null,
    actor: { kind: "visitor", id: null, name: null, ip: "192.0.2.9" },
    target: { kind: "recipient_domain", id: null, name: "a.example" },
    before: null,
    after: { list: ["a", "b"], off: false, none: null, deep: { a: 1 } },
  } as const;
  for (let i = 0; i < 60; i += 1) await service.spool.recordAudit({ ...entry, id: `aud_${i}`, action: `act.${i}.` });
  const first = await textOf(operator, "/operator/audit?action=act.");
  assert.match(first, /list: a, b.*off: no.*none: not set.*deep: \{&quot;a&quot;:1\}/s);
  assert.match(first, /Not signed in/);
  const [, next = ""] = /href="\/dashboard(\/operator\/audit\?[^"]*after=\d+)"/.exec(first) ?? [];
  const second = await textOf(operator, next.replaceAll("&amp;", "&"));
  const shown = [first, second].map((page) =>
    [...page.matchAll(/<code>act\.(\d+)\.<\/code>/g)].map(([, i]) => Number(i)),
  );
  assert.deepEqual(
    shown.map(({ length }) => length),
    [50, 10],
  );
  assert.deepEqual(
    shown.flat(),
    Array.from({ length: 60 }, (_, i) => 59 - i),
  );
  assert.doesNotMatch(second, /Older changes/);
});
