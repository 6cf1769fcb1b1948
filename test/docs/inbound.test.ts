/** docs/BOUNCES.md against the code of the inbound listener: its table has every reply, and its numbers are those of the limits. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { INCOMING_RECIPIENT_TYPES } from "../../src/app/incoming/incoming-recipients.ts";
import { NAMED_MAX, OCTETS_MAX, RECIPIENTS_MAX } from "../../src/inbound/session.ts";
import { CHECKOUT } from "../support/program.ts";
import { repliesInSource } from "./smtp-replies.ts";

const DOCUMENT = readFileSync(join(CHECKOUT, "docs/BOUNCES.md"), "utf8");
const sectionOf = (title: string): string => DOCUMENT.split(`\n### ${title}\n`)[1]?.split(/\n###? /)[0] ?? "";

/** What ends a connection that is idle, too many or at a stop is no answer to a command. */
const UNASKED = ["421 4.3.2"];

test("the table of rejections has each reply, and no other", () => {
  const listed = [...sectionOf("What is rejected").matchAll(/^\| `(\d{3} \d\.\d\.\d)` \|/gm)].map(
    ([, reply = ""]) => reply,
  );
  const replies = [...repliesInSource("inbound", "smtp-server")].filter((reply) => !UNASKED.includes(reply));
  assert.deepEqual(listed.toSorted(), replies.toSorted());
});

test("the names of a return path are those that are accepted", () => {
  const named = [...sectionOf("What is accepted").matchAll(/`([\w-]+)@bounces\.NAME`/g)].map(([, name = ""]) => name);
  const types = named.map((name) => name.replace("-", "_"));
  assert.deepEqual(types.toSorted(), INCOMING_RECIPIENT_TYPES.filter((type) => type !== "bounces").toSorted());
});

test("the limits of a message are those of the code", () => {
  const limits = sectionOf("Limits");
  assert.ok(limits.includes(`| a message | ${OCTETS_MAX / 1024 / 1024} MiB, which is announced |`));
  assert.ok(
    limits.includes(`| recipients of a message; of them with a fixed name | ${RECIPIENTS_MAX}; ${NAMED_MAX} | 452 |`),
  );
});
