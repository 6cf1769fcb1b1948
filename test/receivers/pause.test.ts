/** How long a receiver wants no mail after a reply. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type PauseSources, pauseAfter } from "../../src/receivers/pause.ts";
import { PROFILES } from "../../src/receivers/profiles.ts";

const after = (text: string, name = "", setSeconds: number | null = null): number | null =>
  pauseAfter(text, sourcesOf(name, setSeconds))?.seconds ?? null;
const sourcesOf = (name: string, setSeconds: number | null = null): PauseSources => ({
  profiles: PROFILES.filter((profile) => profile.name === name),
  setSeconds,
});

test("a pause is as long as the reply says, at most an hour, or six hours at a receiver with a profile", () => {
  for (const [text, seconds] of [
    ["450 4.7.1 Rate limit exceeded, try again in 15 minutes", 900],
    ["421 4.7.0 Too many connections. Please retry after 300 seconds.", 300],
    ["421 please wait 50 minutes", 3000],
    ["451 Try again in 90s", 90],
    ["421 come back in 1 h", 3600],
    ["421 retry in 999999 hours", 3600],
    ["421 try again in 0 seconds", null],
    ["421 4.7.0 try again later", null],
    ["421 4.7.0 Try again later. 192.0.2.10 sent 300 messages", null],
    ["550 no such user", null],
  ] as const)
    assert.equal(after(text), seconds, text);
});

test("a receiver with a profile may ask for more", () => {
  assert.equal(after("421 please wait 2 hours", "gmail"), 7200);
  assert.equal(after("421 retry in 999999 hours", "gmail"), 6 * 3600);
});

test("else it is that of the receiver's profile, for its own replies", () => {
  const deferred = "421 4.7.0 [TSS04] Messages from 192.0.2.10 temporarily deferred";
  assert.equal(after(deferred, "yahoo"), 7200);
  assert.equal(after(deferred, "gmail"), null);
  assert.equal(after(deferred), null);
  assert.equal(after("421 [HCM1] deferred", "icloud"), 900);
  assert.equal(after("421 [HCM1] deferred, retry in 5 minutes", "icloud"), 300);
  assert.equal(after("450 4.2.1 mailbox busy", "icloud"), null);
});

test("an operator's pause replaces the profile's, not what a reply says", () => {
  assert.equal(after("421 [TSS04]", "yahoo", 60), 60);
  assert.equal(after("421 too fast", "", 60), 60);
  assert.equal(after("421 too fast, try again in 5 minutes", "", 60), 300);
});

test("it begins after the first such reply of a known receiver, unless its profile wants several", () => {
  for (const [name, text, atOnce] of [
    ["yahoo", "421 4.7.0 [TSS04] deferred", true],
    ["gmail", "421 4.7.0 try again in 15 minutes", true],
    ["gmail", "421 4.7.28 Our system has detected an unusual rate of unsolicited mail", false],
    ["outlook", "451 4.7.650 The mail server [192.0.2.10] has been temporarily rate limited (S775)", false],
    ["microsoft-365", "451 4.7.500 Server busy. Please try again later from [192.0.2.10].", false],
    ["", "421 4.7.0 try again in 15 minutes", false],
  ] as const)
    assert.equal(pauseAfter(text, sourcesOf(name))?.atOnce, atOnce, text);
});
