/** Durations, relative times and notices as text. */
import assert from "node:assert/strict";
import { it, test } from "node:test";
import { attemptLabel, reasonName, relativeText, spanText } from "../../../src/dashboard/views/labels.ts";
import { faultSentence } from "../../../src/webhooks/fault-sentence.ts";
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

test("a reason without a category that says more is named by what happened", () => {
  assert.equal(reasonName("recipient_refused", "mailbox_full"), "Mailbox full");
  assert.equal(reasonName("recipient_refused", "other"), "Recipient rejected");
  assert.equal(reasonName("restored_from_backup", "other"), "Restored from a backup");
  assert.equal(reasonName("expired", "other"), "Expired");
  assert.equal(reasonName("scheduled", null), "Scheduled");
});

test("an attempt without a response is labelled with the reason", () => {
  const label = (error: string | null) => attemptLabel({ status: null, error, result: "deferred" }).text;
  const ofCode = (code: string) => label(faultSentence(Object.assign(new Error(), { code })));
  const codes: Record<string, string> = {
    ECONNREFUSED: "Refused",
    ETIMEDOUT: "Timed out",
    EHOSTUNREACH: "No route",
    ECONNRESET: "Disconnected",
    CERT_HAS_EXPIRED: "Bad certificate",
    DEPTH_ZERO_SELF_SIGNED_CERT: "Bad certificate",
    EPROTO: "TLS failed",
    HPE_INVALID_CONSTANT: "Bad response",
    HPE_HEADER_OVERFLOW: "Bad response",
    EMFILE: "No response",
  };
  for (const [code, text] of Object.entries(codes)) assert.equal(ofCode(code), text, code);
  assert.equal(label("No response within 15 seconds."), "Timed out");
  assert.equal(label("The host hooks.example has no address."), "Host not found");
  const privateAddress = "10.0.0.1 is not public (private)";
  assert.equal(
    label(`The host hooks.example has no public address (${privateAddress}); see WEBHOOK_ALLOW_PRIVATE.`),
    "Not allowed",
  );
  assert.equal(label(null), "No response");
  assert.equal(attemptLabel({ status: 500, error: null, result: "given_up" }).text, "500");
});

it("shows no notice for unknown names", async (t) => {
  const installation = await installWithOperator(t);
  const client = await clientOf(installation.url);
  // Each page has another form token.
  const pageOf = async (path: string) => (await textOf(client, path)).replace(/name="form_token" value="[^"]*"/g, "");
  const plain = await pageOf("/domains");
  for (const done of ["constructor", "toString", "__proto__"]) {
    assert.equal(await pageOf(`/domains?done=${done}`), plain);
    assert.doesNotMatch(await textOf(client, `/operator/queue?done=${done}`), /class="notice/);
  }
});
