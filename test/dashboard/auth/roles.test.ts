/** What each role may do: every route of the dashboard, and the forms that pages show. */
import assert from "node:assert/strict";
import { describe, it, type TestContext, test } from "node:test";
import { type Access, requiredAccess } from "../../../src/dashboard/auth/roles.ts";
import { ROLES, type Role } from "../../../src/spool/port/memberships.ts";
import { cheapHash } from "../../support/cheap-hash.ts";
import { type Installation, installWithOperator } from "../../support/dashboard/installation.ts";
import { allRoutes } from "../../support/dashboard/routes.ts";
import { type Client, clientOf } from "../../support/dashboard/sign-in.ts";

const PASSWORD = "a long enough password";

/** Paths with ids that nothing has: a request that passes the check of its role finds nothing. */
const pathOf = (route: string): string => (route.split(" ")[1] ?? "").replace(/:\w+/g, "none");

async function signedIn(installation: Installation, role: Role): Promise<Client> {
  const email = `${role}@shop.example`;
  const passwordHash = cheapHash(PASSWORD);
  const user = { email, accountId: "acc_default", passwordHash, operator: false, role, createdAtMs: 1, usersMax: 10 };
  await installation.service.registry.createUser(user);
  return clientOf(installation.url, { email, password: PASSWORD });
}

const RANKS: readonly (Access | "public")[] = ["operator", ...ROLES, "public"];
const mayUse = (role: Role, access: Access | "public"): boolean => RANKS.indexOf(role) <= RANKS.indexOf(access);

describe("a route", () => {
  it("needs a developer if it changes something and says nothing else", () => {
    assert.equal(requiredAccess("POST /anything/new"), "developer");
    assert.equal(requiredAccess("DELETE /anything"), "developer");
    assert.equal(requiredAccess("GET /anything/new"), "viewer");
  });

  it("needs what it should", () => {
    const needs = (access: Access) =>
      allRoutes().filter((route) => route.access === access && route.route.startsWith("POST"));
    assert.deepEqual(
      needs("viewer")
        .map(({ route }) => route)
        .toSorted(),
      [
        "POST /invitation/:token/join",
        "POST /you/account",
        "POST /you/notices",
        "POST /you/password",
        "POST /you/second-factor",
        "POST /you/second-factor/off",
        "POST /you/sessions/end",
        "POST /you/sessions/end-others",
      ],
      "the only changes that a viewer may make",
    );
    for (const { route } of needs("owner")) assert.match(route, /^POST \/(users|account)\//);
    for (const { route } of needs("operator")) assert.match(route, /^POST \/operator\//);
  });
});

test("every route rejects the roles that do not suffice, and only those", async (t: TestContext) => {
  const installation = await installWithOperator(t);
  const routes = allRoutes().filter(
    ({ access, route }) => access !== "public" && !route.startsWith("POST /you/sessions"),
  );
  assert.ok(routes.length > 60);
  for (const role of ROLES) {
    const client = await signedIn(installation, role);
    for (const { route, access } of routes) {
      const path = pathOf(route);
      const { status } = route.startsWith("POST") ? await client.post(path) : await client.get(path);
      const rejected = access === "operator" ? 404 : 403;
      if (!mayUse(role, access)) assert.equal(status, rejected, `${role}: ${route}`);
      else assert.notEqual(status, 403, `${role}: ${route}`);
    }
  }
});

test("pages show each role the forms that it can use", async (t: TestContext) => {
  const installation = await installWithOperator(t);
  const pages = ["/keys", "/domains", "/webhooks", "/users", "/account", "/start", "/suppressed", "/messages", "/you"];
  for (const role of ROLES) {
    const client = await signedIn(installation, role);
    for (const path of pages) {
      const html = await (await client.get(path)).text();
      const actions = [...html.matchAll(/<form method="post" action="\/dashboard([^"]+)"/g)].map(
        ([, action]) => action,
      );
      assert.ok(actions.includes("/sign-out"), path);
      for (const action of actions) {
        const access = requiredAccess(`POST ${action}`);
        assert.ok(mayUse(role, access), `${role} on ${path}: ${action}`);
      }
    }
  }
  const owner = await clientOf(installation.url, { email: "owner@shop.example", password: PASSWORD });
  assert.match(await (await owner.get("/keys")).text(), /Create a key/);
  const viewer = await clientOf(installation.url, { email: "viewer@shop.example", password: PASSWORD });
  assert.doesNotMatch(await (await viewer.get("/keys")).text(), /Create a key/);
});

test("an operator acts as owner in an account that is not the own one", async (t: TestContext) => {
  const installation = await installWithOperator(t);
  const other = await installation.service.registry.createAccount("other", 1);
  assert.ok(other !== "exists");
  const operator = await clientOf(installation.url);
  await operator.post("/operator/look", { account: other.id });
  const there = await clientOf(installation.url);
  assert.match(await (await operator.get("/users")).text(), /Invite a user/);
  assert.ok(there.formToken !== "");
});
