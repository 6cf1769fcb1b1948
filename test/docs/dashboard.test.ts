/** docs/DASHBOARD.md against the product: its notices, who gets them, the types of the operators' webhook, and the roles. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { KINDS, switches } from "../../src/app/notices/kinds.ts";
import { ROLES } from "../../src/spool/port/memberships.ts";
import { partUnder } from "./markdown.ts";

const DOCUMENT = readFileSync(new URL("../../docs/DASHBOARD.md", import.meta.url), "utf8");

const AUDIENCES: Readonly<Record<string, string>> = {
  "": "nobody",
  owners: "owners",
  users: "all users of the account",
  operators: "operators",
  "owners,operators": "owners and operators",
};

test("the table of notices has each switch with who gets them, and no other", () => {
  const rows = [...partUnder(DOCUMENT, "Notices").matchAll(/^\| ([A-Z][^|]*) \| [^|]* \| ([^|]*) \|$/gm)];
  assert.deepEqual(
    rows.map(([, label, audience]) => [label, audience]),
    switches().map(([, { label, audience }]) => [label, AUDIENCES[audience.join()]]),
  );
});

test("each type of notice is listed, and no other", () => {
  const listed = [...partUnder(DOCUMENT, "The operators' webhook").matchAll(/`notice\.(\w+)`/g)].map(
    ([, kind]) => kind,
  );
  assert.deepEqual(listed.toSorted(), [...Object.keys(KINDS), "test"].toSorted());
});

test("each role is listed, and no other", () => {
  const listed = [...partUnder(DOCUMENT, "Users and roles").matchAll(/^\| ([A-Z]\w+) \|/gm)].map(
    ([, role = ""]) => role,
  );
  assert.deepEqual(
    listed.map((role) => role.toLowerCase()),
    [...ROLES],
  );
});
