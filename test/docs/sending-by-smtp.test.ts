/**
 * docs/SENDING-BY-SMTP.md against the code: its table has every reply, and its lists have the fields that are read and removed. The
 * tests of clients-smtp/ run its settings.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CHECKOUT } from "../support/program.ts";
import { repliesInSource } from "./smtp-replies.ts";

const read = (path: string): string => readFileSync(join(CHECKOUT, path), "utf8");
const DOCUMENT = read("docs/SENDING-BY-SMTP.md");

test("the table of replies has each one, and no other", () => {
  const [, section = ""] = DOCUMENT.split("\n## Replies\n");
  const listed = [...section.matchAll(/^\| (\d{3} \d\.\d\.\d) \|/gm)].map(([, reply = ""]) => reply);
  assert.ok(listed.length > 12);
  assert.equal(new Set(listed).size, listed.length);
  assert.deepEqual(
    listed.filter((reply) => reply !== "250 2.0.0").toSorted(),
    [...repliesInSource("submission", "smtp-server")].toSorted(),
  );
});

test("the reason of each rejection is in the table", () => {
  const source = read("src/submission/reply.ts");
  const [, table = ""] = /REPLIES:[^=]*= \{\n([\s\S]*?)\n\};/.exec(source) ?? [];
  const reasons = [...table.matchAll(/^ {2}(\w+): /gm)].map(([, reason = ""]) => reason);
  assert.ok(reasons.length > 6);
  const [, section = ""] = DOCUMENT.split("\n## Replies\n");
  // Size has no reason of its own in the reply.
  for (const reason of reasons.filter((each) => each !== "body_too_large"))
    assert.ok(section.includes(`\`${reason}\``), reason);
});

test("the fields that are removed are listed", () => {
  const sources = read("src/message/submitted/submitted-message.ts") + read("src/message/header/server-fields.ts");
  const sets = sources.matchAll(/(?:HIDDEN|AUTHENTICATION): ReadonlySet<string> = new Set\(\[([^\]]+)\]/g);
  const names = [...sets].map(([, each = ""]) => each).join();
  const [, removed = ""] = /^\| removed \| (.*) \|$/m.exec(DOCUMENT) ?? [];
  const listed = [...removed.matchAll(/`([\w-]+)`/g)].map(([, name = ""]) => name.toLowerCase());
  assert.deepEqual(listed.toSorted(), names.match(/[\w-]+/g)?.toSorted());
});
