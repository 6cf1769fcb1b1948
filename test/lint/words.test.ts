/** One word for one thing: no text of src/ that users may read, and no document, has a word that was given up for another one. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { userTexts } from "../../lint/user-texts.ts";
import { CHECKOUT } from "../support/program.ts";

/** What was given up, and what is written instead. */
const GIVEN_UP: readonly (readonly [words: RegExp, instead: string])[] = [
  [/\b(?:bind|binds|binding|bound)\b/i, "add, remove (a domain)"],
  [/\bexchangers?\b/i, "recipient's server, receiver"],
  [/\bblock lists?\b/i, "blocklist"],
  [/\bobstacles?\b/i, "category"],
  [/\brefuse[sd]?\b/i, "rejected (5xx), deferred (4xx)"],
  [/\bthis host\b|\bhost page\b/i, "this server"],
  [
    /\bto be retried\b|\bcan be retried\b|\bretried by\b|\bretry requested\b|\bretry (?:all|the failed) /i,
    "send again",
  ],
  [/\bresolved as\b|\bcan(?:not)? be resolved\b|\bresolve (?:a|all) /i, "mark as delivered or not delivered"],
  [/\bfrom (?:the )?suppressions\b|\blift the suppression\b/i, "allow again"],
  [/\bfor good\b|\bfor ever\b/i, "permanently"],
  [/\bof late\b/i, "recently"],
  [/\bof all else\b|\bthe own\b/i, "a noun"],
  [/\bof (?:its|their) own\b/i, "its own …, a separate …"],
  [/\bby (?:itself|themselves)\b/i, "automatically"],
  [/\balone\b/i, "only"],
];

/** Texts of others that the service reads, of the database, and for contributors. */
const APART = [
  "src/message/result/reply-texts.ts",
  "src/message/result/sender-texts.ts",
  "src/message/feedback/",
  "src/receivers/profiles.ts",
  "src/app/audit/",
  "src/spool/",
  "src/testing/",
];

/** In another sense: a name of the contract, or of the network. Names between backticks are allowed too. */
const ALLOWED = [
  /--bind\b/,
  /the sink's name could not be resolved/,
  // Of connections, and of resolvers that answer nothing.
  /\brefused? the connection\b|\brefuses (?:to answer|connections|the connection)\b/g,
];

const withoutAllowed = (text: string): string => ALLOWED.reduce((kept, allowed) => kept.replace(allowed, ""), text);

test("no text for users has a word that was given up", () => {
  const texts = userTexts().filter(({ file }) => !APART.some((path) => file.startsWith(path)));
  assert.ok(texts.length > 3000, `${texts.length} texts`);
  const found = texts.flatMap(({ file, text }) => {
    const rest = withoutAllowed(text.replace(/`[^`]*`/g, ""));
    return GIVEN_UP.filter(([words]) => words.test(rest)).map(([, instead]) => `${file}: ${text} (write: ${instead})`);
  });
  assert.deepEqual(found, []);
});

/** In documents, sockets are bound, and "the messages of its own account" is no odd use. */
const OF_DOCUMENTS = GIVEN_UP.filter(([words]) => !["bound", "of its own", "alone"].some((each) => words.test(each)));

test("no document has a word that was given up", () => {
  const names = readdirSync(join(CHECKOUT, "docs")).filter((name) => name.endsWith(".md"));
  const found = ["README.md", ...names.map((name) => join("docs", name))].flatMap((file) => {
    const text = readFileSync(join(CHECKOUT, file), "utf8")
      .replace(/```.*?```/gs, "")
      .replace(/`[^`]*`/g, "");
    const rest = withoutAllowed(text.replace(/\s+/g, " "));
    return OF_DOCUMENTS.flatMap(([words, instead]) => {
      const [word] = words.exec(rest) ?? [];
      return word === undefined ? [] : [`${file}: ${word} (write: ${instead})`];
    });
  });
  assert.deepEqual(found, []);
});
