/**
 * The testers' SMTP sink as a program: its command line, its greeting, and a line for each message.
 * What it does with mail is in sink/ (peer.ts: what a local part asks for, and that a malformed one is refused with the
 * right form); the demo and the tests start it from here too. Exit 0 stopped, 1 could not start, 2 wrong usage.
 */
import { existsSync, realpathSync } from "node:fs";
import { isIPv6 } from "node:net";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { directoryFault, listenFault } from "./app/startup-checks.ts";
import { ConfigError, readDnsServers } from "./config.ts";
import { createResolver } from "./dns/node-resolver.ts";
import { sanitizeLine } from "./lib/terminal-text.ts";
import type { SinkEntry } from "./testing/sink/mailbox.ts";
import { PARTS_HELP } from "./testing/sink/peer.ts";
import { type Sink, startSink } from "./testing/sink/server.ts";

export type { SinkEntry } from "./testing/sink/mailbox.ts";
export { type Sink, type SinkOptions, startSink } from "./testing/sink/server.ts";

const HOST = "127.0.0.1";
const PORT = 2525;

const PARTS = ["What a recipient's local part does:", ...PARTS_HELP.map((line) => `  ${line}`)];

const HELP = [
  "usage: npm run sink -- [--port PORT] [--host ADDRESS] [--dir DIRECTORY] [--no-tls]",
  "",
  "Takes every message, keeps it, and plays the mail exchanger that its recipients ask for.",
  "",
  `  --port PORT      where it listens, ${PORT} unless given; 0 for any free port`,
  `  --host ADDRESS   the address it listens on, ${HOST} unless given; IPv6 without brackets, such as ::1`,
  "  --dir DIRECTORY  where it keeps messages, ./sink-mail unless given",
  "  --no-tls         offers no STARTTLS",
  "",
  "DNS_SERVERS says which DNS servers the DKIM, SPF and DMARC verdicts ask, as for the service.",
  "",
  ...PARTS,
];

interface Arguments {
  port: number;
  host: string;
  dir: string;
  tls: boolean;
}

/** The words are wrong: exit 2, one line. */
class UsageError extends Error {}

/** What the program is given, and where its words go. */
export interface SinkTerminal {
  env: NodeJS.ProcessEnv;
  write(text: string): void;
  writeError(text: string): void;
}

/** Does what the arguments say: the sink that runs now, or the exit code where none is to run. */
export async function runSink(args: string[], terminal: SinkTerminal): Promise<Sink | number> {
  const say = (lines: readonly string[]): void => terminal.write(`${lines.join("\n")}\n`);
  try {
    const options = readArguments(args);
    if (options === "help") {
      say(HELP);
      return 0;
    }
    const sink = await start(options, terminal.env, (entry) => say([sanitizeLine(summary(entry))]));
    say(greeting(options, sink.port));
    return sink;
  } catch (error) {
    terminal.writeError(`sink: ${sanitizeLine((error as Error).message)}\n`);
    return error instanceof UsageError || error instanceof ConfigError ? 2 : 1;
  }
}

function greeting({ host, dir, tls }: Arguments, port: number): string[] {
  const listening = `SMTP sink on ${isIPv6(host) ? `[${host}]` : host}:${port}`;
  return [
    `${listening}, ${tls ? "with STARTTLS" : "without TLS"}`,
    `Messages: ${dir}/ID.eml and ${dir}/messages.jsonl`,
    ...PARTS,
    "Stop with Ctrl-C.",
  ];
}

async function start(options: Arguments, env: NodeJS.ProcessEnv, onMessage: (entry: SinkEntry) => void): Promise<Sink> {
  const resolver = createResolver({ servers: readDnsServers(env), timeoutMs: 1000, tries: 2 });
  const { host, port, dir } = options;
  const fault = directoryFault(dir);
  if (fault !== null) throw new Error(`--dir ${dir} cannot be used: ${fault}`);
  try {
    return await startSink({ ...options, resolver, onMessage });
  } catch (error) {
    const names = { host: "--host ", port: "--port " };
    throw new Error(listenFault((error as NodeJS.ErrnoException).code ?? "", { host, port }, names) ?? String(error));
  }
}

function readArguments(args: string[]): Arguments | "help" {
  const { values } = parsed(args);
  if (values.help) return "help";
  const { port, host, dir } = values;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new UsageError(`--port ${port} is no port`);
  if (host === "") throw new UsageError("--host needs an address");
  if (dir === "") throw new UsageError("--dir needs a directory");
  return { port: Number(port), host, dir, tls: !values["no-tls"] };
}

function parsed(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        port: { type: "string", default: String(PORT) },
        host: { type: "string", default: HOST },
        dir: { type: "string", default: "./sink-mail" },
        "no-tls": { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
  } catch (error) {
    throw new UsageError(`${firstSentence((error as Error).message)}; see --help`);
  }
}

/** Node's advice about unusual arguments helps nobody here. */
function firstSentence(text: string): string {
  return text.split(/\.\s|\n/)[0]?.replace(/\.$/, "") ?? text;
}

function summary({ id, mail_from, rcpt_to, size_bytes, answer, dkim, spf, dmarc }: SinkEntry): string {
  const verdicts = `dkim=${dkim.result} spf=${spf.result} dmarc=${dmarc.result}`;
  return `${id} ${size_bytes} bytes from <${mail_from}> to ${rcpt_to.join(", ")}: ${answer}, ${verdicts}`;
}

function isEntry(): boolean {
  const program = process.argv[1];
  return (
    program !== undefined &&
    existsSync(program) &&
    realpathSync(program) === realpathSync(fileURLToPath(import.meta.url))
  );
}

/** As a program, until a signal. */
async function main(): Promise<void> {
  // A reader that hangs up ends the lines, not the sink.
  process.stdout.on("error", () => {});
  const sink = await runSink(process.argv.slice(2), {
    env: process.env,
    write: (text) => void process.stdout.write(text),
    writeError: (text) => void process.stderr.write(text),
  });
  if (typeof sink === "number") process.exit(sink);
  const stop = () => sink.close().then(() => process.exit(0));
  process.once("SIGINT", stop).once("SIGTERM", stop);
}

if (isEntry()) await main();
