/** Which word is suggested for a typing error. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { closestWord } from "../../src/message/closest-word.ts";

const WORDS = ["queue", "domains", "messages", "keys", "nodes", "suppressions"];

it("finds the word with one missing, extra, wrong or swapped letter", () => {
  for (const typed of ["quue", "queuee", "qveue", "uqeue", "Queue", "queues"]) {
    assert.equal(closestWord(typed, WORDS), "queue", typed);
  }
  assert.equal(closestWord("message", WORDS), "messages");
  assert.equal(closestWord("key", WORDS), "keys");
});

it("allows more errors in longer words, and takes the closest", () => {
  assert.equal(closestWord("supresions", WORDS), "suppressions");
  assert.equal(closestWord("ndoes", ["node", "nodes"]), "nodes");
});

it("allows as many errors as the divisor says, and never all letters", () => {
  assert.equal(closestWord("rjc", ["reject"]), null);
  assert.equal(closestWord("rjc", ["reject"], 2), "reject");
  assert.equal(closestWord("x", ["p", "t"]), null);
  assert.equal(closestWord("xy", ["sp"]), null);
});

it("suggests nothing far from every word", () => {
  for (const typed of ["", "x", "frob", "mail", "kiosk"]) assert.equal(closestWord(typed, WORDS), null, typed);
  assert.equal(closestWord("queue", []), null);
});
