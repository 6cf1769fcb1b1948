/** Which recipients a message may have, and how SQL recognizes a test route. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testRouteOf } from "../../../src/message/test-route.ts";
import Sqlite from "../../../src/spool/engine/sqlite/connection/driver.ts";
import { checkRoutes, isLiveSql, routeOf } from "../../../src/spool/records/test-routes.ts";
import { newMessage } from "../../support/messages.ts";

const ROUTE = testRouteOf("acc_default");
const live = { email: "ann@a.example", domain: "a.example" };
const onRoute = { ...live, domain: ROUTE };

test("a test message is on the route of its account, another message on none", () => {
  checkRoutes(newMessage({ recipients: [live] }));
  checkRoutes(newMessage({ recipients: [onRoute], test: true }));
  for (const parts of [
    { recipients: [live, onRoute] },
    { recipients: [onRoute, live], test: true },
    { recipients: [onRoute], test: true, accountId: "acc_other" },
  ])
    assert.throws(() => checkRoutes(newMessage(parts)), /message must not be at/);
});

test("the stored domain of a recipient follows from its address and its message", () => {
  assert.equal(routeOf("Ann@Bücher.example", { accountId: "acc_default", isTest: false }), "xn--bcher-kva.example");
  assert.equal(routeOf("Ann@Bücher.example", { accountId: "acc_default", isTest: true }), ROUTE);
  for (const damaged of [null, 7, "ann", `ann@${ROUTE}`])
    assert.equal(routeOf(damaged, { accountId: "acc_default", isTest: true }), null);
});

test("in SQL, test routes are apart from all domains", () => {
  const db = new Sqlite(":memory:");
  const isLive = db.prepare<[string], number>(`SELECT ${isLiveSql("column1")} FROM (VALUES (?))`).pluck();
  const domains = ["a.example", "test.example", "test.", "te", ROUTE, testRouteOf("acc_b")];
  assert.deepEqual(
    domains.map((domain) => isLive.get(domain)),
    [1, 1, 1, 1, 0, 0],
  );
  db.close();
});
