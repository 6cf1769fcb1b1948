import assert from "node:assert/strict";
import { test } from "node:test";
import { faultSentence } from "../../src/webhooks/fault-sentence.ts";

const fault = (code: string) => faultSentence(Object.assign(new Error("connect to 10.0.0.1 failed"), { code }));

test("an error is explained in a sentence by its code, without its text", () => {
  assert.equal(fault("ECONNREFUSED"), "The endpoint refused the connection.");
  assert.match(fault("ERR_TLS_CERT_ALTNAME_INVALID"), /another host name/);
  assert.equal(fault("HPE_INVALID_CONSTANT"), "The response is not valid HTTP (HPE_INVALID_CONSTANT).");
  assert.equal(fault("EPROTO"), "The TLS handshake failed (EPROTO).");
  assert.equal(fault("ERR_SSL_WRONG_VERSION_NUMBER"), "The TLS handshake failed (ERR_SSL_WRONG_VERSION_NUMBER).");
  assert.equal(fault("EMFILE"), "The webhook could not be sent (EMFILE).");
  assert.equal(faultSentence(new Error("no code")), "The webhook could not be sent (no code).");
});
