/**
 * The testers' SMTP sink as a program, `npm run sink` and `postrider sink`: its command line, its greeting, and a line for each message. What it does with messages
 * is in testing/sink/. Exit codes: 0 stopped, 1 could not start, 2 wrong usage.
 */
import { once } from "node:events";
import { isIPv6 } from "node:net";
import { parseArgs } from "node:util";
import { describeListenFailure, directoryFault } from "./app/installation/startup-checks.ts";
import { ConfigError, readDnsServers, readHostAndPort } from "./config.ts";
import { createResolver } from "./dns/stub-resolver.ts";
import { argumentFault } from "./lib/error-text.ts";
import { isEntry } from "./lib/is-entry.ts";
import { sanitizeLine } from "./lib/terminal-text.ts";
import { ACTIONS_HELP } from "./testing/sink/actions.ts";
import type { SmtpHost } from "./testing/sink/bounce-sender.ts";
import type { SinkEntry } from "./testing/sink/mailbox.ts";
import { type Sink, startSink } from "./testing/sink/server.ts";

export type { SinkEntry } from "./testing/sink/mailbox.ts";
export { type Sink, type SinkOptions, startSink } from "./testing/sink/server.ts";

const HOST = "127.0.0.1";
const PORT = 2525;

const ACTIONS = ["What a recipient's local part does:", ...ACTIONS_HELP.map((line) => `  ${line}`)];

const HELP = [
  "usage: npm run sink -- [--port PORT] [--host ADDRESS] [--dir DIRECTORY] [--bounces-to HOST:PORT] [--no-tls]",
  "",
  "Accepts and stores every message, and behaves as the local parts of its recipients ask.",
  "",
  `  --port PORT      the port it listens on, ${PORT} unless given; 0 for any free port`,
  `  --host ADDRESS   the address it listens on, ${HOST} unless given; IPv6 without brackets, such as ::1`,
  "  --dir DIRECTORY  where it stores messages, ./sink-mail unless given",
  "  --bounces-to HOST:PORT",
  "                   where it sends the bounces of bounce-later@ by SMTP; nowhere unless given",
  "  --no-tls         offers no STARTTLS",
  "",
  "DNS_SERVERS names the DNS servers for the DKIM, SPF and DMARC verdicts, as for the service.",
  "",
  ...ACTIONS,
];

interface Arguments {
  port: number;
  host: string;
  dir: string;
  bouncesTo: SmtpHost | null;
  tls: boolean;
}

/** The arguments are wrong: exit 2, one line. */
class UsageError extends Error {}

/** The program's environment, and where its output goes. */
export interface SinkTerminal {
  env: NodeJS.ProcessEnv;
  write(text: string): void;
  writeError(text: string): void;
}

/** Starts the sink that the arguments describe, or returns an exit code if no sink runs. */
export async function runSink(args: string[], terminal: SinkTerminal): Promise<Sink | number> {
  const print = (lines: readonly string[]): void => terminal.write(`${lines.join("\n")}\n`);
  try {
    const options = readArguments(args);
    if (options === "help") {
      print(HELP);
      return 0;
    }
    const sink = await start(options, terminal.env, (line) => print([sanitizeLine(line)]));
    print(greeting(options, sink.port));
    return sink;
  } catch (error) {
    terminal.writeError(`sink: ${sanitizeLine((error as Error).message)}\n`);
    return error instanceof UsageError || error instanceof ConfigError ? 2 : 1;
  }
}

function greeting({ host, dir, bouncesTo, tls }: Arguments, port: number): string[] {
  const listening = `SMTP sink on ${textOf({ host, port })}`;
  return [
    `${listening}, ${tls ? "with STARTTLS" : "without TLS"}`,
    `Messages: ${dir}/ID.eml and ${dir}/messages.jsonl`,
    bouncesTo === null ? "Bounces are not sent: there is no --bounces-to" : `Bounces: to ${textOf(bouncesTo)}`,
    ...ACTIONS,
    "Stop with Ctrl-C.",
  ];
}

const textOf = ({ host, port }: SmtpHost): string => `${isIPv6(host) ? `[${host}]` : host}:${port}`;

async function start(options: Arguments, env: NodeJS.ProcessEnv, print: (line: string) => void): Promise<Sink> {
  const resolver = createResolver({ servers: readDnsServers(env), timeoutMs: 1000, tries: 2 });
  const { host, port, dir } = options;
  const fault = directoryFault(dir);
  if (fault !== null) throw new Error(`--dir ${dir} ${fault}`);
  try {
    return await startSink({ ...options, resolver, onMessage: (entry) => print(summary(entry)), onBounce: print });
  } catch (error) {
    const names = { host: "--host ", port: "--port " };
    throw new Error(
      describeListenFailure((error as NodeJS.ErrnoException).code ?? "", { host, port }, names) ?? String(error),
    );
  }
}

function readArguments(args: string[]): Arguments | "help" {
  const { values } = parsed(args);
  if (values.help) return "help";
  const { port, host, dir, "bounces-to": bounces } = values;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new UsageError(`--port ${port} is not a port number`);
  if (host === "") throw new UsageError("--host needs an address");
  if (dir === "") throw new UsageError("--dir needs a directory");
  const bouncesTo = bounces === undefined ? null : readHostAndPort(bounces);
  if (bounces !== undefined && bouncesTo === null) {
    throw new UsageError(`--bounces-to ${bounces} is not of the form HOST:PORT, such as 127.0.0.1:2526`);
  }
  return { port: Number(port), host, dir, bouncesTo, tls: !values["no-tls"] };
}

function parsed(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        port: { type: "string", default: String(PORT) },
        host: { type: "string", default: HOST },
        dir: { type: "string", default: "./sink-mail" },
        "bounces-to": { type: "string" },
        "no-tls": { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
  } catch (error) {
    throw new UsageError(`${argumentFault(error)}; see --help`);
  }
}

function summary({ id, mail_from, rcpt_to, size_bytes, answer, dkim, spf, dmarc }: SinkEntry): string {
  const verdicts = `dkim=${dkim.result} spf=${spf.result} dmarc=${dmarc.result}`;
  return `${id} ${size_bytes} bytes from <${mail_from}> to ${rcpt_to.join(", ")}: ${answer}, ${verdicts}`;
}

/** Runs until `untilStopped` aborts; resolves with the exit code. */
export async function serveSink(args: string[], untilStopped: () => AbortSignal): Promise<number> {
  const sink = await runSink(args, {
    env: process.env,
    write: (text) => void process.stdout.write(text),
    writeError: (text) => void process.stderr.write(text),
  });
  if (typeof sink === "number") return sink;
  const stopped = untilStopped();
  if (!stopped.aborted) await once(stopped, "abort");
  await sink.close();
  return 0;
}

function untilSignal(): AbortSignal {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  process.once("SIGINT", stop).once("SIGTERM", stop);
  return stopping.signal;
}

if (isEntry(import.meta.url)) {
  // A reader that closes the pipe must not end the sink.
  process.stdout.on("error", () => {});
  process.exit(await serveSink(process.argv.slice(2), untilSignal));
}
