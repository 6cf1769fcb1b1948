/**
 * Attackers, as a program of their own: options as JSON in the first argument, on standard output what became of each attack.
 * Every attack repeats itself until the time is over; none waits for another. Strangers have no key and no session, tenants have
 * a key and a session of an account of their own.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { constants, setPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";

export interface AttackOptions {
  port: number;
  forMs: number;
  /** Connections at once of the attacks that are made of many. */
  width: number;
  /** A tenant's API key, verified domain, and session cookie. */
  key: string;
  domain: string;
  cookie: string;
  /** A message of the tenant's whose text is a run of `=`. */
  messageId: string;
}

/** How often each attack was made, and how its requests were answered: by status, `cut` where the connection ended. */
export type Report = Record<string, { rounds: number; answers: Record<string, number> }>;

// Attackers are elsewhere: what they do must not cost the service's machine more than it has to.
setPriority(constants.priority.PRIORITY_LOW);

const options = JSON.parse(process.argv[2] ?? "") as AttackOptions;
const endMs = Date.now() + options.forMs;
const report: Report = {};

const MB = 1024 * 1024;
const SEND = "/api/sending/send";
const TINY_CHUNKS = "1\r\nx\r\n".repeat(65_000);
const CHUNKED = "Transfer-Encoding: chunked";
const JSON_TYPE = "Content-Type: application/json";
const FORM_TYPE = "Content-Type: application/x-www-form-urlencoded";
const withKey = `Authorization: Bearer ${options.key}`;
const withCookie = `Cookie: ${options.cookie}`;

function head(method: string, path: string, ...fields: string[]): string {
  return `${[`${method} ${path} HTTP/1.1`, "Host: localhost", ...fields].join("\r\n")}\r\n\r\n`;
}

async function open(): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port: options.port });
  socket.on("error", () => {});
  await Promise.race([once(socket, "connect"), once(socket, "close")]);
  return socket;
}

/** Writes a request on a connection of its own; the status of its answer, or `cut`. Reads on for at most `patienceMs`. */
async function request(bytes: string | Buffer, patienceMs = 10_000): Promise<string> {
  const socket = await open();
  let received = "";
  const answered = new Promise<string>((resolve) => {
    socket.on("data", (chunk) => {
      if (received.length < 12) received += chunk.toString("latin1").slice(0, 12);
      if (received.length >= 12) resolve(received.slice(9, 12));
    });
    socket.on("close", () => resolve(received.slice(9, 12) || "cut"));
    setTimeout(() => resolve("none"), patienceMs).unref();
  });
  socket.write(bytes);
  const status = await answered;
  // The rest of what was written goes out, or is cut off.
  await Promise.race([once(socket, "close").catch(() => {}), delay(200)]);
  socket.destroy();
  return status;
}

function record(name: string, answers: string[]): void {
  report[name] ??= { rounds: 0, answers: {} };
  const entry = report[name];
  entry.rounds += 1;
  for (const answer of answers) entry.answers[answer] = (entry.answers[answer] ?? 0) + 1;
}

async function repeat(name: string, pauseMs: number, round: () => Promise<string[]>): Promise<void> {
  while (Date.now() < endMs) {
    record(name, await round());
    await delay(pauseMs);
  }
}

const many = <T>(count: number, one: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => one(i)));

function send(body: string): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([Buffer.from(head("POST", SEND, withKey, JSON_TYPE, `Content-Length: ${bytes.length}`)), bytes]);
}

/** To a domain that does not exist: what is accepted is failed, and no exchanger is bothered. */
function message(parts: Record<string, unknown>): Buffer {
  const usual = { from: `hello@${options.domain}`, to: "a@nowhere.invalid", subject: "s", text: "t" };
  return send(JSON.stringify({ ...usual, ...parts }));
}

/** Connections that are all opened before the first of them sends. */
async function tinyChunks(fields: string[], path: string): Promise<string[]> {
  const sockets = await many(options.width, open);
  const bytes = head("POST", path, ...fields, CHUNKED) + TINY_CHUNKS;
  const ended = sockets.map(async (socket) => {
    socket.resume();
    const closed = socket.destroyed ? Promise.resolve() : once(socket, "close").catch(() => {});
    if (!socket.destroyed) socket.write(bytes);
    const isCut = await Promise.race([closed.then(() => true), delay(15_000, false, { ref: false })]);
    socket.destroy();
    return isCut ? "cut" : "open";
  });
  return Promise.all(ended);
}

/** Asks for lists and reads nothing of them. */
async function unreadLists(): Promise<string[]> {
  const bytes = head("GET", "/api/sending/messages?limit=100", withKey).repeat(8);
  const sockets = await many(12, open);
  for (const socket of sockets) socket.pause().write(bytes);
  await delay(3000);
  return sockets.map((socket) => {
    const answer = socket.destroyed ? "cut" : "open";
    socket.destroy();
    return answer;
  });
}

/** Tiny chunks that go on after the answer, for as long as the connection does. */
async function chunksAfterRefusal(): Promise<string[]> {
  return many(10, async () => {
    const socket = await open();
    socket.resume().write(head("POST", SEND, JSON_TYPE, CHUNKED));
    const giveUpMs = Math.min(endMs, Date.now() + 30_000);
    while (!socket.destroyed && Date.now() < giveUpMs) {
      const taken = socket.write(TINY_CHUNKS);
      await (taken
        ? delay(5)
        : Promise.race([once(socket, "drain"), once(socket, "close"), delay(1000)]).catch(() => {}));
    }
    const answer = socket.destroyed ? "cut" : "open";
    socket.destroy();
    return answer;
  });
}

const page = (path: string): Promise<string> =>
  request(head("GET", `/dashboard${path}`, withCookie, "Connection: close"), 30_000);

const text = "x".repeat(10 * MB - 1000);
const spaced = `${"QUJD ".repeat(64)}\n`.repeat(25_000);
const brackets = "[".repeat(9 * MB);

await Promise.all([
  repeat("one-byte chunks at sign-in", 500, () => tinyChunks([FORM_TYPE], "/dashboard/sign-in")),
  repeat("one-byte chunks at send", 500, () => tinyChunks([withKey, JSON_TYPE], SEND)),
  repeat("a subject of megabytes", 300, () =>
    many(2, (i) => request(message({ subject: "x".repeat((i === 0 ? 10 : 6.2) * MB) }))),
  ),
  repeat("lists that are not read", 100, unreadLists),
  repeat("a page of a message that is a run of =", 50, () => many(4, () => page(`/messages/${options.messageId}`))),
  repeat("one-byte chunks after the refusal", 100, chunksAfterRefusal),
  repeat("searches", 100, () => many(40, (i) => page(`/messages?subject=no-such-subject-${i}`))),
  repeat("a text of 10 MB", 200, () => many(3, () => request(message({ text })))),
  repeat("base64 with spaces", 200, () =>
    many(2, () => request(message({ attachments: [{ filename: "a.bin", content: spaced }] }))),
  ),
  repeat("brackets", 200, () => many(2, () => request(send(brackets)))),
  repeat("requests without a key", 50, () => many(20, () => request(head("GET", "/metrics", "Connection: close")))),
  repeat("pipelined requests without a key", 200, () => many(20, () => request(head("GET", "/nothing").repeat(1000)))),
]);
process.stdout.write(JSON.stringify(report));
// Connections that are still open hold nothing up.
process.exit(0);
