import assert from "node:assert/strict";
import { test } from "node:test";
import { connectSmtp } from "../../../src/delivery/smtp/connect.ts";
import type { CommandResult, Connection } from "../../../src/delivery/smtp/connection.ts";
import type { ScriptedSmtp } from "../../support/scripted-smtp.ts";
import { PATIENT, startPeer, until } from "./fixture.ts";

async function connect(peer: ScriptedSmtp): Promise<{ connection: Connection; greeting: CommandResult }> {
  const result = await connectSmtp({ host: "mx.test", address: peer.host, port: peer.port, timeouts: PATIENT });
  if (result.type !== "connected") throw new Error(result.error);
  return { connection: result.connection, greeting: await result.greeting };
}

function codeOf(result: CommandResult): number | string {
  return result.type === "reply" ? result.reply.code : result.type;
}

test("a closed port is a result, not a rejection", async (t) => {
  const peer = await startPeer(t);
  await peer.close();
  const result = await connectSmtp({ host: "mx.test", address: peer.host, port: peer.port });
  assert.equal(result.type, "failed");
  assert.match(result.type === "failed" ? result.error : "", /ECONNREFUSED/u);
});

test("pipelined commands get their replies in order", async (t) => {
  const peer = await startPeer(t, { script: { rcpt: (to) => (to.includes("b@") ? "550 no" : "250 yes") } });
  const { connection, greeting } = await connect(peer);
  assert.equal(codeOf(greeting), 220);
  const lines = ["MAIL FROM:<>", "RCPT TO:<a@x>", "RCPT TO:<b@x>", "DATA"];
  const results = await Promise.all(connection.pipeline(lines.map((line) => ({ line, timeoutMs: 5_000 }))));
  assert.deepEqual(results.map(codeOf), [250, 250, 550, 354]);
  assert.equal(peer.pipelined, true);
  connection.destroy();
});

test("fragmented replies on several connections do not mix", async (t) => {
  const spell = (_: string, { connection }: { connection: number }) => ({
    raw: `250-line of ${connection}\r\n250 end of ${connection}\r\n`,
    byteByByte: true,
  });
  const peer = await startPeer(t, { script: { rset: spell } });
  const connections = [await connect(peer), await connect(peer), await connect(peer)];
  const results = await Promise.all(connections.map(({ connection }) => connection.command("RSET", 5_000)));
  const texts = results.map((result) => (result.type === "reply" ? result.reply.message : result.error));
  assert.deepEqual(texts, ["line of 0\nend of 0", "line of 1\nend of 1", "line of 2\nend of 2"]);
  for (const { connection } of connections) connection.destroy();
});

test("a line break or NUL in a command is refused before anything is sent", async (t) => {
  const peer = await startPeer(t);
  const { connection } = await connect(peer);
  for (const line of ["NOOP\r\nDATA", "NOOP\n", "NOOP\r", "NOOP\0"]) {
    assert.throws(() => connection.command(line, 5_000), /CR, LF or NUL/u);
  }
  await connection.command("RSET", 5_000);
  assert.deepEqual(peer.commands, ["RSET"]);
  connection.destroy();
});

test("all pending replies are lost when the peer disconnects", async (t) => {
  const peer = await startPeer(t, { script: { mail: () => ({ drop: true }) } });
  const { connection } = await connect(peer);
  const results = connection.pipeline([
    { line: "MAIL FROM:<>", timeoutMs: 5_000 },
    { line: "DATA", timeoutMs: 5_000 },
  ]);
  assert.deepEqual((await Promise.all(results)).map(codeOf), ["lost", "lost"]);
  assert.equal(codeOf(await connection.command("RSET", 5_000)), "lost");
});

test("silence is a timeout and ends the connection", async (t) => {
  const peer = await startPeer(t, { script: { rset: () => ({ silent: true }) } });
  const { connection } = await connect(peer);
  assert.equal(codeOf(await connection.command("RSET", 40)), "timeout");
  assert.equal(connection.ended?.type, "timeout");
  await until(() => peer.open === 0);
});

test("a slowly sent reply does not extend the timeout", async (t) => {
  const peer = await startPeer(t, { script: { rset: () => ({ silent: true }) } });
  const { connection } = await connect(peer);
  const trickle = setInterval(() => peer.say("250-still\r\n"), 10);
  const result = await connection.command("RSET", 60);
  clearInterval(trickle);
  assert.equal(codeOf(result), "timeout");
});

test("malformed bytes are a protocol error, not a reply", async (t) => {
  const peer = await startPeer(t, { script: { rset: () => ({ raw: "fine by me\r\n" }) } });
  const { connection } = await connect(peer);
  assert.equal(codeOf(await connection.command("RSET", 5_000)), "protocol_error");
  await until(() => peer.open === 0);
});

test("an unsolicited reply ends the connection", async (t) => {
  const peer = await startPeer(t, { script: { rset: () => ({ raw: "250 ok\r\n250 ok\r\n" }) } });
  const { connection } = await connect(peer);
  assert.equal(codeOf(await connection.command("RSET", 5_000)), 250);
  assert.equal(connection.ended?.type, "protocol_error");
});

test("an unsolicited 421 answers the next command", async (t) => {
  const peer = await startPeer(t);
  const { connection } = await connect(peer);
  peer.say("421 4.3.2 going down\r\n");
  await until(() => connection.ended !== null);
  assert.equal(codeOf(await connection.command("RSET", 5_000)), 421);
  const ended = connection.ended;
  assert.equal(ended?.type === "reply" && ended.reply.message, "going down");
});

test("a write to a peer that stops reading times out", async (t) => {
  const peer = await startPeer(t, { script: { greeting: () => ({ pause: true, raw: "220 hi\r\n" }) } });
  const { connection } = await connect(peer);
  const block = Buffer.alloc(1 << 20, "x");
  let result: { type: string } = { type: "written" };
  for (let count = 0; count < 64 && result.type === "written"; count += 1) result = await connection.write(block, 100);
  assert.equal(result.type, "timeout");
  assert.equal(connection.ended?.type, "timeout");
});

test("written bytes leave before a graceful end", async (t) => {
  const peer = await startPeer(t);
  const { connection } = await connect(peer);
  connection.send(Buffer.from("RSET\r\n"));
  connection.end();
  await until(() => peer.open === 0);
  assert.deepEqual(peer.commands, ["RSET"]);
});
