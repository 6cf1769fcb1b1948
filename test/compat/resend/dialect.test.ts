/** Which paths are Resend's, and how requests for others of its API are rejected. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isResendPath, RESEND } from "../../../src/compat/resend/dialect.ts";
import { createDialects } from "../../../src/http/dialects.ts";

const dialectOf = createDialects(() => "");

test("paths under the prefix are Resend's, and no others", () => {
  for (const target of ["/compat/resend", "/compat/resend/", "/compat/resend?x", "/compat/resend//emails?limit=1"]) {
    assert.ok(isResendPath(target), target);
  }
  for (const target of ["/compat/resender", "/compat", "/x/compat/resend/", "/api/sending/send", "*", ""]) {
    assert.ok(!isResendPath(target), target);
  }
});

test("a path that is not served is named, without what identifies anything", () => {
  const named = (method: string, path: string): string => {
    const { code, message } = RESEND.noSuchPath(method, `/compat/resend${path}`);
    assert.equal(code, "not_found");
    return /does not serve (.*?) of Resend's API/.exec(message)?.[1] ?? message;
  };
  assert.equal(named("POST", "/emails/msg_000000000000000000000000/cancel"), "POST /emails/{id}/cancel");
  assert.equal(named("GET", "//domains"), "GET /domains");
  assert.equal(named("GET", "/contacts/ann@shop.example/topics"), "GET /contacts/{id}/topics");
  assert.equal(named("GET", "/svc_live_secret"), "GET /{id}");
  assert.equal(named("GET", "/a".repeat(100)), `GET ${"/a".repeat(6)}`);
  assert.equal(named("GET", ""), "GET /");
});

test("responses to a key have the rate headers of both APIs; without a limit those of Resend are absent", () => {
  const { rateHeaders } = dialectOf("/compat/resend/emails");
  assert.deepEqual(rateHeaders({ perSecond: 10, burst: 20, tokens: -3.5, fullInS: 3 }), {
    "RateLimit-Policy": '"send";q=20;w=2',
    RateLimit: '"send";r=0;t=3',
    "RateLimit-Limit": "20",
    "RateLimit-Remaining": "0",
    "RateLimit-Reset": "3",
  });
  assert.deepEqual(Object.keys(rateHeaders(null)), ["RateLimit-Policy", "RateLimit"]);
  assert.deepEqual(Object.keys(dialectOf("/api/sending/send").rateHeaders(null)), ["RateLimit-Policy", "RateLimit"]);
});
