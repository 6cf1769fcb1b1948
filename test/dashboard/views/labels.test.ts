/** Durations, relative times and notices as text. */
import assert from "node:assert/strict";
import { it, test } from "node:test";
import { relativeText, spanText } from "../../../src/dashboard/views/labels.ts";
import { installWithOperator } from "../../support/dashboard/installation.ts";
import { type Client, clientOf } from "../../support/dashboard/sign-in.ts";

const textOf = async (client: Client, path: string): Promise<string> => (await client.get(path)).text();

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

test("days and hours have a second unit, shorter durations one", () => {
  const spans: [number, string][] = [
    [2 * HOUR_MS - MINUTE_MS - 1, "1 h 58 min"],
    [48 * HOUR_MS - 1, "1 d 23 h"],
    [48 * HOUR_MS, "2 d"],
    [HOUR_MS + 59_999, "1 h"],
    [HOUR_MS - 1, "59 min"],
    [59_999, "59 s"],
    [1500, "1.5 s"],
    [12, "12 ms"],
  ];
  for (const [spanMs, text] of spans) assert.equal(spanText(spanMs), text);
  assert.equal(relativeText(47 * HOUR_MS, 0), "in 1 d 23 h");
});

it("shows no notice for unknown names", async (t) => {
  const installation = await installWithOperator(t);
  const client = await clientOf(installation.url);
  const plain = await textOf(client, "/domains");
  for (const done of ["constructor", "toString", "__proto__"]) {
    assert.equal(await textOf(client, `/domains?done=${done}`), plain);
    assert.doesNotMatch(await textOf(client, `/operator/queue?done=${done}`), /class="notice/);
  }
});
