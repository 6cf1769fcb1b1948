/** The test route is no domain that an address or a DNS query can have. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMailbox } from "../../src/message/address.ts";
import { isTestRoute, testRouteOf } from "../../src/message/test-route.ts";

const ACCOUNTS = ["acc_default", "acc_I3abIyaY8ZZ76vmz", "acc_-a"];

test("accounts have different routes, each of which is recognized", () => {
  const routes = ACCOUNTS.map(testRouteOf);
  assert.equal(new Set(routes).size, ACCOUNTS.length);
  assert.ok(routes.every(isTestRoute));
});

test("no email address has a test route as its domain", () => {
  for (const route of ACCOUNTS.map(testRouteOf)) assert.equal(parseMailbox(`ann@${route}`).type, "invalid");
  for (const domain of ["test.example", "test.com", "x.test", "test-a.example", "xn--bcher-kva.example"]) {
    const mailbox = parseMailbox(`ann@${domain}`);
    assert.ok(mailbox.type === "valid" && !isTestRoute(mailbox.domain), domain);
  }
});
