/**
 * docs/SENDING.md against the code: its lists have the header fields that are read and removed. The tests of clients-smtp/ run its
 * settings, examples.test.ts and sending-by-http.test.ts its programs.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readOwnFields } from "../../src/message/submitted/own-fields.ts";
import { CHECKOUT } from "../support/program.ts";

const read = (path: string): string => readFileSync(join(CHECKOUT, path), "utf8");
const DOCUMENT = read("docs/SENDING.md");

test("the fields that are removed are listed", () => {
  const sources = read("src/message/submitted/submitted-message.ts") + read("src/message/header/server-fields.ts");
  const sets = sources.matchAll(/(?:HIDDEN|AUTHENTICATION): ReadonlySet<string> = new Set\(\[([^\]]+)\]/g);
  const names = [...sets].map(([, each = ""]) => each).join();
  const [, removed = ""] = /^\| removed \| (.*) \|$/m.exec(DOCUMENT) ?? [];
  const listed = [...removed.matchAll(/`([\w-]+)`/g)].map(([, name = ""]) => name.toLowerCase());
  assert.deepEqual(listed.toSorted(), names.match(/[\w-]+/g)?.toSorted());
});

test("the fields that are read are listed, and no other", () => {
  const unknown = { key: "x-postrider-none", name: "X-Postrider-None", value: "1", text: "X-Postrider-None: 1\r\n" };
  const read = readOwnFields([unknown]);
  assert.ok(read.type === "invalid");
  const known = read.detail.split("Known are ")[1]?.match(/X-Postrider-[\w-]+/g) ?? [];
  const listed = [...DOCUMENT.matchAll(/^\| `(X-Postrider-[\w-]+): /gm)].map(([, name = ""]) => name);
  assert.ok(known.length > 3);
  assert.deepEqual(listed.map((name) => name.replace(/(?<=-Metadata-)\w+/, "NAME")).toSorted(), known.toSorted());
});
