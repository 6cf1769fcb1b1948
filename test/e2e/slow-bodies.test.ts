/**
 * Sends with slow bodies: those of one account use at most half of the slots, further ones are rejected, and all
 * slots are freed.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { sendBody, startWorld, type World } from "../support/world.ts";
import { problemOf } from "./problem.ts";
import { otherAccountsKey } from "./refusals.ts";

/** Half of all concurrent sends. */
const MOST = 1000;

async function beginSend({ service, key }: World): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port: service.port });
  socket.on("error", () => {});
  await once(socket, "connect");
  const head = ["POST /api/sending/send HTTP/1.1", "Host: x", `Authorization: Bearer ${key}`];
  socket.write([...head, "Content-Type: application/json", "Content-Length: 100", "", "{"].join("\r\n"));
  return socket;
}

test("limits slow bodies of one account to half of the concurrent sends", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const sockets: Socket[] = [];
  const leave = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  t.after(leave);
  while (sockets.length < MOST)
    sockets.push(...(await Promise.all(Array.from({ length: 100 }, () => beginSend(world)))));
  let answer = await world.post(sendBody());
  // Requests sent meanwhile had a slot for a moment.
  while (answer.status === 202) {
    sockets.push(await beginSend(world));
    answer = await world.post(sendBody());
  }
  await problemOf(answer, 429, "rate_limit_exceeded");
  assert.equal((await fetch(`${world.service.url}/healthz`)).status, 200);
  const { key } = await otherAccountsKey(world);
  const other = await world.post(sendBody(), { Authorization: `Bearer ${key}` });
  await problemOf(other, 403, "sender_not_allowed");

  leave();
  while (answer.status !== 202) answer = await world.post(sendBody());
});
