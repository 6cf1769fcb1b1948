/**
 * The testers' SMTP sink as a program: its command line, its greeting, and a line for each message.
 * What it does with mail is in sink/; the demo and the tests start it from here too.
 */
import { existsSync, realpathSync } from "node:fs";
import { isIPv6 } from "node:net";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createResolver } from "./dns/node-resolver.ts";
import type { Resolver } from "./dns/resolver.ts";
import type { SinkEntry } from "./sink/mailbox.ts";
import { PARTS_HELP } from "./sink/peer.ts";
import { startSink } from "./sink/server.ts";

export type { SinkEntry } from "./sink/mailbox.ts";
export { type Sink, type SinkOptions, startSink } from "./sink/server.ts";

const HOST = "127.0.0.1";
const PORT = 2525;

async function main(): Promise<void> {
  const options = commandLine();
  const resolver = environmentResolver();
  const onMessage = (entry: SinkEntry) => process.stdout.write(`${summary(entry)}\n`);
  const sink = await startSink({ ...options, resolver, onMessage });
  // A reader that hangs up ends the lines, not the sink.
  process.stdout.on("error", () => {});
  const { host, dir } = options;
  const listening = `SMTP sink on ${isIPv6(host) ? `[${host}]` : host}:${sink.port}`;
  process.stdout.write(
    [
      `${listening}, ${options.tls ? "with STARTTLS" : "without TLS"}`,
      `Messages: ${dir}/ID.eml and ${dir}/messages.jsonl`,
      "What a recipient's local part does:",
      ...PARTS_HELP.map((line) => `  ${line}`),
      "Stop with Ctrl-C.",
      "",
    ].join("\n"),
  );
  const stop = () => sink.close().then(() => process.exit(0));
  process.once("SIGINT", stop).once("SIGTERM", stop);
}

function environmentResolver(): Resolver {
  const servers = (process.env.DNS_SERVERS ?? "").split(",").map((server) => server.trim());
  try {
    return createResolver({ servers: servers.filter(Boolean), timeoutMs: 1000, tries: 2 });
  } catch (error) {
    throw new Error(`DNS_SERVERS: ${(error as Error).message}`);
  }
}

function commandLine(): { port: number; host: string; dir: string; tls: boolean } {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: String(PORT) },
      host: { type: "string", default: HOST },
      dir: { type: "string", default: "./sink-mail" },
      "no-tls": { type: "boolean", default: false },
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new TypeError(`--port ${values.port} is no port`);
  return { port, host: values.host, dir: values.dir, tls: !values["no-tls"] };
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

if (isEntry()) {
  main().catch((error: Error) => {
    process.stderr.write(`sink: ${error.message}\n`);
    process.exit(error instanceof TypeError ? 2 : 1);
  });
}
