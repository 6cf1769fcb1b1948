/**
 * Runs a command through a service elsewhere (POSTRIDER_URL): sends its words and its input, and prints what the service says. The
 * service decides what the key may do; the client reads files and asks the user.
 */
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import {
  type Command,
  type CommandResult,
  type ParsedArguments,
  Refusal,
  type RemoteAccount,
  UsageError,
} from "../cli/command.ts";
import type { Remote } from "../config.ts";
import { systemReason } from "../lib/error-text.ts";
import { type CommandLine, LINE_BYTES_MAX, WORKING_EVERY_MS } from "./command-output.ts";
import type { Terminal } from "./terminal.ts";

const PATH = "/api/manage/commands";

/** A service that says nothing for this long is gone. */
const SILENCE_MS = 4 * WORKING_EVERY_MS;

/** Octets of an error's body that are read. */
const PROBLEM_BYTES_MAX = 64 * 1024;

export interface RemoteInvocation {
  command: Command;
  args: ParsedArguments;
  /** The words as typed. */
  words: readonly string[];
  /** What the command reads; opened once for each time that the command is sent. */
  openInput: () => AsyncIterable<Uint8Array>;
  terminal: Terminal;
  print: (part: CommandResult) => void;
  confirm: (question: string, how: { typed?: string; isRequired?: true }) => Promise<void>;
  /** Collects lines for standard error. */
  notes: string[];
}

/** Rejects with a Refusal or a UsageError. */
export async function runRemotely(remote: Remote, invocation: RemoteInvocation): Promise<CommandResult | null> {
  for (let confirmed = false; ; confirmed = true) {
    const last = await exchange(remote, invocation, confirmed);
    switch (last.type) {
      case "result":
        invocation.notes.push(...last.notes);
        return last.result;
      case "refused":
        throw last.exitCode === 2 ? new UsageError(last.message) : new Refusal(last.message);
      case "confirm": {
        if (confirmed) throw new Refusal("the service asks again after a confirmation");
        const { question, typed, isRequired } = last;
        await invocation.confirm(question, {
          ...(typed === undefined ? {} : { typed }),
          ...(isRequired === undefined ? {} : { isRequired }),
        });
      }
    }
  }
}

type LastLine = Extract<CommandLine, { type: "result" | "refused" | "confirm" }>;

/** Sends the command once. Resolves with its last line. */
async function exchange(remote: Remote, invocation: RemoteInvocation, confirmed: boolean): Promise<LastLine> {
  const { words, command, args, openInput, terminal, print } = invocation;
  const first = `${JSON.stringify({ arguments: withoutRemote(words), ...(confirmed ? { confirmed } : {}) })}\n`;
  const hasInput = (command.input?.(args) ?? null) !== null;
  const response = await post(remote, bodyOf(first, hasInput ? openInput() : null));
  if (response.statusCode !== 200) throw await problemOf(remote, response);
  const stopped = terminal.untilStopped?.();
  stopped?.addEventListener("abort", () => response.destroy(), { once: true });
  for await (const line of linesOf(response)) {
    const said = parse(line);
    if (said.type === "part") print({ json: said.json, text: said.text });
    else if (said.type === "out") terminal.write(said.text);
    else if (said.type !== "working") return said;
  }
  if (stopped?.aborted === true) return { type: "result", result: null, notes: [] };
  throw new Refusal(`${remote.url} ended the command before it was complete`);
}

/** The options of the client itself are not the service's. */
function withoutRemote(words: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] ?? "";
    if (word === "--") return [...kept, ...words.slice(i)];
    if (word === "--url" || word === "--key") i += 1;
    else if (!/^--(?:url|key)=/.test(word)) kept.push(word);
  }
  return kept;
}

async function* bodyOf(first: string, input: AsyncIterable<Uint8Array> | null): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(first);
  if (input !== null) yield* input;
}

interface Sent {
  url: string;
  path: string;
  method: string;
  headers: Record<string, string>;
}

const post = ({ url, key }: Remote, body: AsyncIterable<Uint8Array>): Promise<IncomingMessage> => {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/octet-stream" };
  return send({ url, path: PATH, method: "POST", headers }, body);
};

/** Resolves with the response as soon as it begins, while the body is still sent. */
function send({ url, path, method, headers }: Sent, body: AsyncIterable<Uint8Array> | null): Promise<IncomingMessage> {
  const target = new URL(path.slice(1), url.endsWith("/") ? url : `${url}/`);
  const open = target.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const refuse = (error: unknown): void =>
      reject(error instanceof Refusal ? error : new Refusal(`${url} cannot be reached: ${systemReason(error)}`));
    const request = open(target, { method, headers, timeout: SILENCE_MS });
    request.on("response", resolve).on("error", refuse);
    request.on("timeout", () => request.destroy(new Error("the service does not respond")));
    if (body === null) request.end();
    else Readable.from(body, { objectMode: false }).on("error", refuse).pipe(request);
  });
}

async function* linesOf(response: IncomingMessage): AsyncGenerator<string, void> {
  response.setEncoding("utf8");
  const lines = createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY });
  try {
    for await (const line of lines) {
      if (line.length > LINE_BYTES_MAX) throw new Refusal("the service said more in a line than it may");
      if (line !== "") yield line;
    }
  } finally {
    lines.close();
    response.destroy();
  }
}

function parse(line: string): CommandLine {
  try {
    const said: unknown = JSON.parse(line);
    if (typeof said === "object" && said !== null && "type" in said) return said as CommandLine;
  } catch {}
  throw new Refusal("the service's response is not that of Postrider: check POSTRIDER_URL");
}

async function problemOf({ url }: Remote, response: IncomingMessage): Promise<Refusal> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) {
    text += chunk;
    if (text.length > PROBLEM_BYTES_MAX) break;
  }
  try {
    const { detail } = JSON.parse(text) as { detail: string };
    return new Refusal(`${url}: ${detail}`);
  } catch {
    return new Refusal(`${url} responded with status ${response.statusCode}: check POSTRIDER_URL`);
  }
}

/** Resolves with what the service says of the key's account. Rejects with a Refusal. */
export async function checkRemote(remote: Remote): Promise<RemoteAccount> {
  const response = await get(remote, "/api/manage/usage");
  if (response.statusCode !== 200) throw await problemOf(remote, response);
  let text = "";
  for await (const line of linesOf(response)) text += line;
  try {
    const { account, quota } = JSON.parse(text) as RemoteAccount;
    if (typeof account === "string" && typeof quota.recipients_today === "number") return { account, quota };
  } catch {}
  throw new Refusal(`the response of ${remote.url} is not that of Postrider: check the URL`);
}

function get({ url, key }: Remote, path: string): Promise<IncomingMessage> {
  return send({ url, path, method: "GET", headers: { Authorization: `Bearer ${key}` } }, null);
}
