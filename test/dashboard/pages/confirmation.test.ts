/** Which changes require the acting user's current password. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { ownAccountId } from "../../../src/spool/port/memberships.ts";
import { addUser, installWithOperator } from "../../support/dashboard/installation.ts";
import { allRoutes } from "../../support/dashboard/routes.ts";
import { clientOf } from "../../support/dashboard/sign-in.ts";

/** Changes of users and accounts that weaken no sign-in, and take nothing away. */
const WITHOUT = [
  "POST /users/:id/end-sessions",
  "POST /users/invitations/:id/revoke",
  "POST /account/restore",
  "POST /account/status-pages",
  "POST /operator/users/:id/end-sessions",
  "POST /operator/accounts",
  "POST /operator/accounts/:id/quota",
  "POST /operator/accounts/:id/status-pages",
  "POST /operator/accounts/:id/restore",
];

it("every other change of users and accounts does, whatever the role", async (t) => {
  const installation = await installWithOperator(t);
  const { people, registry } = installation.service;
  const owner = await clientOf(installation.url, await addUser(installation, "shop", "ann@shop.example"));
  const accountId = ownAccountId((await people.userNamed("ann@shop.example")) ?? assert.fail());
  const made = { email: "bob@shop.example", accountId, passwordHash: "x", operator: false };
  await registry.createUser({ ...made, createdAtMs: 1, usersMax: 10 });
  const operator = await clientOf(installation.url);
  const bob = await people.userNamed("bob@shop.example");
  assert.ok(bob !== null);
  await people.setTotp(bob.id, { sealed: Buffer.from("sealed"), recoveryHashes: [] });
  const routes = allRoutes()
    .map(({ route }) => route)
    .filter((route) => /^POST \/(operator\/)?(users|accounts?)(\/|$)/.test(route));
  for (const route of WITHOUT) assert.ok(routes.includes(route), route);
  const asking = routes.filter((route) => !WITHOUT.includes(route));
  assert.ok(asking.length >= 10, asking.join());
  for (const route of asking) {
    const id = route.includes("/accounts/") ? accountId : bob.id;
    const path = route.replace("POST ", "").replace(":id", id);
    for (const role of ["owner", "viewer"]) {
      const fields = { name: "shop", email: "eve@shop.example", password: "a long enough password", role };
      const refused = await (path.startsWith("/operator/") ? operator : owner).post(path, fields);
      assert.match(await refused.text(), /Your current password is wrong|Too many attempts/, `${route} ${role}`);
      assert.ok([400, 429].includes(refused.status), route);
    }
  }
  assert.deepEqual((await people.user(bob.id))?.memberships, bob.memberships);
  assert.equal(await people.userNamed("eve@shop.example"), null);
  assert.deepEqual(await registry.invitations(accountId, Date.now()), []);
});
