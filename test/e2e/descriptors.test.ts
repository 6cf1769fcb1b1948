/** A service that runs out of file descriptors: what it answers meanwhile, and that it goes on afterwards. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { type ChildService, startChild } from "../support/child-service.ts";
import { sendBody, startWorld } from "../support/world.ts";

const CONNECTIONS = 200;
const PLENTY = 4096;
/** As `ulimit -n` in the service's shell, of which its start leaves about ten. */
const FEW = 64;

/** The soft limit alone, so that it can be raised again. */
const limitDescriptors = (pid: number, limit: number): void => {
  execFileSync("prlimit", ["--pid", String(pid), `--nofile=${limit}:`]);
};

const openDescriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

interface Question {
  path: string;
  /** Sent if present. */
  body?: string;
}

/** An open connection, which the service may not have accepted yet. */
async function connection({ url }: ChildService): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  return socket;
}

/** The status, or the code of the connection's error: a connection that cannot be accepted has no answer. */
function ask({ url }: ChildService, key: string, { path, body, socket }: Question & { socket: Socket }) {
  const method = body === undefined ? "GET" : "POST";
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  return new Promise<number | string>((resolve) => {
    const failed = ({ code = "error" }: NodeJS.ErrnoException): void => resolve(code);
    const sent = request(`${url}${path}`, { method, headers, createConnection: () => socket }, (response) => {
      response.resume();
      response.on("error", failed);
      response.on("end", () => resolve(response.statusCode ?? 0));
    });
    sent.on("error", failed);
    sent.end(body);
  });
}

test("without descriptors, sends get 202 or 503, pages and assets 200 or 503; afterwards all is as before", async (t) => {
  const world = await startWorld(t);
  await world.service.stop();
  const child = await startChild(t, world.env);
  const page = "/dashboard/sign-in";
  const [asset = ""] = /\/dashboard\/assets\/[^"]+\.css/.exec(await (await fetch(`${child.url}${page}`)).text()) ?? [];
  const questions: Question[] = [
    { path: "/api/sending/send", body: JSON.stringify(sendBody()) },
    ...[page, asset, "/healthz"].map((path) => ({ path })),
  ];
  /** All connections are open before the first question, however slow this process is. */
  const burst = async (count: number) => {
    const sockets = await Promise.all(Array.from({ length: count }, () => connection(child)));
    const asked = sockets.map((socket, i) => ({ ...(questions[i % questions.length] as Question), socket }));
    return Promise.all(asked.map(async (question) => ({ question, answer: await ask(child, world.key, question) })));
  };
  // The last burst leaves none but that of one connection.
  for (const limit of [() => FEW, () => FEW, () => openDescriptors(child.pid) + 1]) {
    limitDescriptors(child.pid, limit());
    const answers = await burst(CONNECTIONS);
    const statuses = answers.filter(({ answer }) => typeof answer === "number");
    assert.ok(statuses.length > 0 && statuses.length < CONNECTIONS, "the limit was reached");
    for (const { question, answer } of statuses) {
      assert.ok([question.body === undefined ? 200 : 202, 503].includes(Number(answer)), `${question.path}: ${answer}`);
    }
    limitDescriptors(child.pid, PLENTY);
    const later = (await burst(questions.length)).map(({ answer }) => answer);
    assert.deepEqual(later, [202, 200, 200, 200]);
  }
  assert.equal((await child.kill("SIGTERM")).code, 0);
});
