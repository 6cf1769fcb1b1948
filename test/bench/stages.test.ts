import assert from "node:assert/strict";
import { test } from "node:test";
import { stageOf } from "../../bench/profile/stages.ts";

const frame = (functionName: string, url = "") => ({ functionName, url });
const SRC = "file:///app/src";

test("assigns a frame to the stage of its file", () => {
  assert.equal(stageOf([frame("compose", `${SRC}/message/compose.ts`)]), "composing");
  assert.equal(stageOf([frame("relaxedBody", "file:///app/node_modules/dkim-signer/lib/dkim.js")]), "signing");
  assert.equal(stageOf([frame("enter", `${SRC}/delivery/gate.ts`)]), "routing");
});

test("assigns native code and Node's own code to their caller's stage", () => {
  const caller = frame("transact", `${SRC}/delivery/smtp/transaction.ts`);
  assert.equal(stageOf([frame("writev"), frame("writevGeneric", "node:internal/stream_base_commons"), caller]), "SMTP");
});

test("assigns frames without a caller in the project to Node", () => {
  assert.equal(stageOf([frame("onread", "node:net"), frame("(root)")]), "sockets and streams");
  assert.equal(stageOf([frame("toString"), frame("(root)")]), "rest of node");
});

test("recognizes the engine's own entries", () => {
  assert.equal(stageOf([frame("(garbage collector)"), frame("send", `${SRC}/http/send.ts`)]), "garbage collection");
  assert.equal(stageOf([frame("(idle)"), frame("(root)")]), "idle");
});
