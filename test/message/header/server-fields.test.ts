/** Fields that servers write: HTTP rejects all of them, and submission removes those about authentication. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isAuthenticationField } from "../../../src/message/header/server-fields.ts";
import { headerNameError } from "../../../src/message/send-request/custom-header.ts";

test("what servers say about authentication is rejected by HTTP and removed by submission", () => {
  for (const name of [
    "Authentication-Results",
    "Received-SPF",
    "DKIM-Signature",
    "DomainKey-Signature",
    "Return-Path",
    "ARC-Seal",
    "ARC-Message-Signature",
    "ARC-Authentication-Results",
  ]) {
    assert.ok(isAuthenticationField(name.toLowerCase()), name);
    assert.equal(headerNameError(name), "Only mail servers may set this header field.", name);
  }
});

test("a path is rejected by HTTP and sent on by submission; other fields are for both", () => {
  for (const name of ["Received", "Resent-From", "Delivered-To", "X-Original-To"]) {
    assert.equal(isAuthenticationField(name.toLowerCase()), false, name);
    assert.equal(headerNameError(name), "Only mail servers may set this header field.", name);
  }
  for (const name of ["X-Arc", "List-Id"])
    assert.deepEqual([isAuthenticationField(name), headerNameError(name)], [false, null]);
});
