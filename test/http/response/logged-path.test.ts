import assert from "node:assert/strict";
import { test } from "node:test";
import { isServicePath, loggedPath, loggedTarget } from "../../../src/http/response/logged-path.ts";

test("a path is shown without API keys, and shortened to 200 characters", () => {
  assert.equal(loggedPath("/api/sending/messages/msg_1"), "/api/sending/messages/msg_1");
  assert.equal(loggedPath("/a/svc_live_secret/b/svc_live_other"), "/a/svc_live_…/b/svc_live_…");
  const long = loggedPath(`/${"a".repeat(5000)}`);
  assert.equal(long, `/${"a".repeat(199)}…`);
  assert.equal(loggedPath(`/${"a".repeat(185)}/svc_live_secret`), `/${"a".repeat(185)}/svc_live_…`);
});

test("API keys and signing secrets are removed in any spelling", () => {
  for (const [path, shown] of [
    ["/api/sending/svc_test_secret", "/api/sending/svc_test_…"],
    ["/api/sending/svc%5flive_secret/b", "/api/sending/svc_live_…/b"],
    ["/a/svc%5Ftest%5Fsecret", "/a/svc_test_…"],
    ["/a/%73%56c_live_secret", "/a/svc_live_…"],
    ["/a/svc%255flive%25255fsecret", "/a/svc_live_…"],
    ["/a/SVC_Live_secret", "/a/svc_live_…"],
    ["/%zz/%ff/svc%5flive_secret%2Frest", "/%zz/%ff/svc_live_…"],
    ["/x/whsec_c2Vj/cmV0+A==", "/x/whsec_…"],
    ["/x/WHSEC%5fc2VjcmV0", "/x/whsec_…"],
    ["/svc_live_secret/svc_test_secret/whsec_secret", "/svc_live_…/svc_test_…/whsec_…"],
    ["/svc%5flive/%41%0a", "/svc%5flive/%41%0a"],
  ] as const)
    assert.equal(loggedPath(path), shown);
  assert.equal(loggedTarget("/x/svc%5flive_secret?y"), "/x/svc_live_…");
});

test("tokens of links are removed, also from paths that lead to no page", () => {
  for (const path of ["/dashboard/invitation/", "//dashboard/new-password/", "/dashboard/setup//", "/unsubscribe/"]) {
    assert.equal(loggedTarget(`${path}c2Vj.cmV0-_?x`), `${path}…`);
    assert.equal(loggedPath(`${path}c2VjcmV0/more`), `${path}…/more`);
  }
  assert.equal(loggedPath("/dashboard/setup"), "/dashboard/setup");
});

test("a target is shown without its query, and only if it is a path", () => {
  assert.equal(loggedTarget("/api/sending/messages?to=ann@example.org"), "/api/sending/messages");
  assert.equal(loggedTarget("/svc_live_secret?x"), "/svc_live_…");
  for (const target of ["*", "", "http://ann:password@example.org/x", "example.org:443"]) {
    assert.equal(loggedTarget(target), "", target);
  }
});

test("endpoints for machines of the operator are service paths", () => {
  for (const path of ["/healthz", "/readyz", "/metrics", "/openapi.json"]) assert.ok(isServicePath(path), path);
  for (const path of ["/", "/api/sending/send", "/metrics/x"]) assert.ok(!isServicePath(path), path);
});
