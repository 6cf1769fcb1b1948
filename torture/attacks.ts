/**
 * The attacks, as a separate program. Reads its options as JSON from the first argument and prints the results of
 * each attack. Every attack repeats until the time is over, independently of the others. Some attackers have no key
 * and no session; the others have a key and a session of their own account.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { constants, setPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";

export interface AttackOptions {
  port: number;
  forMs: number;
  /** Concurrent connections of each attack that uses many. */
  width: number;
  /** The attacking account's API key, verified domain and session cookie. */
  key: string;
  domain: string;
  cookie: string;
  /** A message of that account whose text is a run of `=`. */
  messageId: string;
}

/** The rounds of each attack and its responses by status; `cut` means that the connection was closed. */
export type Report = Record<string, { rounds: number; answers: Record<string, number> }>;

// Real attackers use other machines, so this program leaves the CPU to the service.
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

/**
 * Writes a request on a new connection. Returns the status of the response, or `cut`. Reads for at most `patienceMs`.
 */
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
  // The remaining bytes are sent, or the connection is closed.
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

/** Sent to a domain that does not exist: an accepted message fails without a connection to an exchanger. */
function message(parts: Record<string, unknown>): Buffer {
  const usual = { from: `hello@${options.domain}`, to: "a@nowhere.invalid", subject: "s", text: "t" };
  return send(JSON.stringify({ ...usual, ...parts }));
}

/** Opens all connections before the first one sends. */
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

/** Requests lists without reading the responses. */
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

/** Sends tiny chunks after the response, for as long as the connection is open. */
async function chunksAfterRefusal(): Promise<string[]> {
  return many(10, async () => {
    const socket = await open();
    socket.resume().write(head("POST", SEND, JSON_TYPE, CHUNKED));
    const giveUpMs = Math.min(endMs, Date.now() + 30_000);
    while (!socket.destroyed && Date.now() < giveUpMs) {
      const hasRoom = socket.write(TINY_CHUNKS);
      await (hasRoom
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
  repeat("unread lists", 100, unreadLists),
  repeat("a page of a message that is a run of =", 50, () => many(4, () => page(`/messages/${options.messageId}`))),
  repeat("one-byte chunks after the rejection", 100, chunksAfterRefusal),
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
// Without waiting for open connections.
process.exit(0);
