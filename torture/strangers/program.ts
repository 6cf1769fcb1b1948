/**
 * The attacks of the scenario `strangers`, as a program of its own: reads its options as JSON from the first argument, attacks through
 * every door until the time is over, and prints what each attack got. It also plays the mail exchangers that hang.
 */
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { constants, setPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { HttpConnection, requestBytes } from "../http-connection.ts";
import {
  HOSTILE_DOMAINS,
  HOSTILE_MESSAGES,
  hostileDomain,
  type StrangerOptions,
  type StrangerReport,
} from "./options.ts";

// Real attackers use other machines, so this program leaves the CPU to the service.
setPriority(constants.priority.PRIORITY_LOW);

const options = JSON.parse(process.argv[2] ?? "") as StrangerOptions;
/** The attack begins when all hosts listen. */
let endMs = 0;
const report: StrangerReport = {};
const REPLY_MAX_MS = 20_000;
const MB = 1024 * 1024;

function record(name: string, answers: readonly string[]): void {
  report[name] ??= { rounds: 0, answers: {} };
  const entry = report[name];
  entry.rounds += 1;
  for (const answer of answers) entry.answers[answer] = (entry.answers[answer] ?? 0) + 1;
}

async function repeat(name: string, pauseMs: number, round: (number: number) => Promise<string[]>): Promise<void> {
  for (let number = 0; Date.now() < endMs; number += 1) {
    record(name, await round(number));
    await delay(pauseMs);
  }
}

const many = <T>(count: number, one: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => one(i)));

/** A connection that writes commands and reads one reply at a time. `cut` once it is closed. */
class SmtpConnection {
  readonly #socket: Socket;
  readonly #replies: AsyncGenerator<string>;

  constructor({ host, port }: { host: string; port: number }) {
    this.#socket = connect({ host, port, noDelay: true });
    this.#socket.setTimeout(REPLY_MAX_MS, () => this.#socket.destroy());
    this.#replies = finalLines(this.#socket);
  }

  async reply(): Promise<string> {
    const { value } = await this.#replies.next().catch(() => ({ value: undefined }));
    return value?.slice(0, 3) ?? "cut";
  }

  /** Writes the lines one after another, each after the reply to the one before. Returns the last reply. */
  async talk(lines: readonly string[]): Promise<string> {
    let code = await this.reply();
    for (const line of lines) {
      if (code === "cut" || code.startsWith("5")) return code;
      this.write(`${line}\r\n`);
      code = await this.reply();
    }
    return code;
  }

  write(bytes: string | Buffer): boolean {
    return this.#socket.writable && this.#socket.write(bytes);
  }

  get isOpen(): boolean {
    return this.#socket.writable;
  }

  close(): void {
    this.#socket.destroy();
  }
}

async function* finalLines(socket: Socket): AsyncGenerator<string> {
  let received = "";
  for await (const chunk of socket) {
    received += String(chunk);
    for (let end = received.indexOf("\r\n"); end !== -1; end = received.indexOf("\r\n")) {
      const line = received.slice(0, end);
      received = received.slice(end + 2);
      if (line[3] !== "-") yield line;
    }
  }
}

/** Sends one mail to the inbound listener. Returns the last reply. */
async function mailTo(recipient: string, content: string, from = "reporter@reports.example"): Promise<string> {
  const connection = new SmtpConnection(options.inbound);
  const code = await connection.talk([
    "EHLO mx.reports.example",
    `MAIL FROM:<${from}>`,
    `RCPT TO:<${recipient}>`,
    "DATA",
    `${content}\r\n.`,
  ]);
  connection.close();
  return code;
}

const RETURN_PATH = `bounces.${options.domain}`;

function gzipReport(xml: Buffer | string): string {
  const lines = gzipSync(xml, { level: 9 }).toString("base64").replace(/.{76}/g, "$&\r\n");
  return [
    "From: dmarc@reports.example",
    `To: dmarc-reports@${RETURN_PATH}`,
    `Subject: Report Domain: ${options.domain} Submitter: reports.example Report-ID: 1`,
    "MIME-Version: 1.0",
    `Content-Type: application/gzip; name="reports.example!${options.domain}!1700000000!1700086400.xml.gz"`,
    "Content-Transfer-Encoding: base64",
    "",
    lines,
  ].join("\r\n");
}

const around = (inner: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`<?xml version="1.0"?><feedback>`), inner, Buffer.from("</feedback>")]);

const BOMBS = [
  around(Buffer.concat([Buffer.from("<!--"), Buffer.alloc(50 * MB, "x"), Buffer.from("-->")])),
  around(Buffer.concat([Buffer.from('<a b="'), Buffer.alloc(50 * MB, "y"), Buffer.from('"/>')])),
  around(Buffer.from(`<a ${Array.from({ length: 3_000_000 }, (_, i) => `a${i}=""`).join(" ")}/>`)),
  around(Buffer.alloc(50 * MB, "<a>")),
].map(gzipReport);

function smallReport(number: number): string {
  const source = `192.0.2.${number % 256}`;
  return gzipReport(
    `<?xml version="1.0"?><feedback><report_metadata><org_name>org${number}.example</org_name><email>a@b.example</email>
     <report_id>r${number}</report_id><date_range><begin>1764028800</begin><end>1764115199</end></date_range></report_metadata>
     <policy_published><domain>${options.domain}</domain><p>none</p></policy_published>
     <record><row><source_ip>${source}</source_ip><count>1</count><policy_evaluated><disposition>none</disposition>
     <dkim>fail</dkim><spf>fail</spf></policy_evaluated></row><identifiers><header_from>${options.domain}</header_from>
     </identifiers><auth_results/></record></feedback>`,
  );
}

const LONG_LINES = `From: a@b.example\r\nSubject: abuse\r\n\r\n${`${"x".repeat(996)}\r\n`.repeat(1040)}`;

const COMMANDS_AT_ONCE = 100;

/** After `lines`, writes the commands in turn, a hundred before it reads their replies, until the connection ends or all were written. */
async function repeatedCommands(lines: readonly string[], commands: readonly string[], most: number): Promise<string> {
  const connection = new SmtpConnection(options.submission);
  let code = await connection.talk(lines);
  const block = Array.from({ length: COMMANDS_AT_ONCE }, (_, i) => `${commands[i % commands.length]}\r\n`).join("");
  for (let written = 0; written < most && connection.isOpen && code !== "cut"; written += COMMANDS_AT_ONCE) {
    connection.write(block);
    for (let i = 0; i < COMMANDS_AT_ONCE && code !== "cut"; i += 1) code = await connection.reply();
  }
  connection.close();
  return code;
}

const AUTH = `AUTH PLAIN ${Buffer.from(`\0user\0${options.key}`).toString("base64")}`;
const MAIL = `MAIL FROM:<a@${options.domain}>`;
const SIGNED_IN = ["EHLO client.example", AUTH];

async function sendTo(connection: HttpConnection, recipient: string): Promise<string> {
  const body = JSON.stringify({ from: `hello@${options.domain}`, to: recipient, subject: "Hostile", text: "t" });
  const answer = await connection.request(requestBytes({ path: "/api/sending/send", key: options.key, body }));
  return String(answer?.status ?? "cut");
}

/** Messages of the attacked account to all hostile domains in turn. */
async function messagesToHostileHosts(): Promise<void> {
  const connections = (await many(8, () => HttpConnection.open(options.http.port, options.http.host))).filter(
    (open) => open !== null,
  );
  let number = 0;
  await repeat(HOSTILE_MESSAGES, 100, () =>
    Promise.all(
      connections.map((connection) => {
        number += 1;
        return sendTo(connection, `a${number}@${hostileDomain(number % HOSTILE_DOMAINS).name}`);
      }),
    ),
  );
}

/** Greets, accepts three messages with the replies of `slow_dots` late, and of `hangs_at_mail` never after these. */
function serveHostile(kind: "never_greets" | "hangs_at_mail" | "slow_dots"): (socket: Socket) => void {
  let accepted = 0;
  return (socket) => {
    socket.on("error", () => {});
    if (kind === "never_greets") return void socket.resume();
    socket.write("220 mx.hostile.example ESMTP\r\n");
    let isContent = false;
    let rest = "";
    socket.on("data", (bytes) => {
      rest += bytes.toString("latin1");
      for (let end = rest.indexOf("\r\n"); end !== -1; end = rest.indexOf("\r\n")) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        if (isContent) {
          if (line !== ".") continue;
          isContent = false;
          accepted += 1;
          setTimeout(() => socket.writable && socket.write("250 ok\r\n"), kind === "slow_dots" ? 8000 : 0);
        } else if (/^MAIL/i.test(line) && kind === "hangs_at_mail" && accepted >= 3) {
          return;
        } else if (/^DATA/i.test(line)) {
          isContent = true;
          socket.write("354 go\r\n");
        } else {
          socket.write("250 ok\r\n");
        }
      }
    });
  };
}

async function startHostileHosts(): Promise<Server[]> {
  const addresses = new Map<string, Server>();
  for (let number = 0; number < HOSTILE_DOMAINS; number += 1) {
    const { address, kind } = hostileDomain(number);
    if (kind === "silent_dns" || addresses.has(address)) continue;
    const server = createServer(serveHostile(kind)).listen(options.exchangerPort, address);
    await once(server, "listening");
    addresses.set(address, server);
  }
  return [...addresses.values()];
}

const hosts = await startHostileHosts();
process.stdout.write("ready\n");
endMs = Date.now() + options.forMs;
await Promise.all([
  messagesToHostileHosts(),
  repeat("reports with one huge token", 200, (n) =>
    many(4, (i) => mailTo(`dmarc-reports@${RETURN_PATH}`, BOMBS[(n + i) % BOMBS.length] ?? "")),
  ),
  repeat("made-up reports", 200, (n) => many(4, (i) => mailTo(`dmarc-reports@${RETURN_PATH}`, smallReport(4 * n + i)))),
  repeat("1 MiB of long lines to abuse@", 200, () => many(2, () => mailTo(`abuse@${RETURN_PATH}`, LONG_LINES))),
  repeat("complaints without a tag", 100, () =>
    many(4, () => mailTo(`complaints@${RETURN_PATH}`, `From: a@b.example\r\n\r\n${"(".repeat(500_000)}`)),
  ),
  repeat("MAIL and RSET", 100, () => many(4, () => repeatedCommands(SIGNED_IN, [MAIL, "RSET"], 50_000))),
  repeat("RCPT beyond the limit", 100, () =>
    many(4, () => repeatedCommands([...SIGNED_IN, MAIL], ["RCPT TO:<b@d0.example>"], 100_000)),
  ),
]);
for (const host of hosts) host.close();
process.stdout.write(`${JSON.stringify(report)}\n`);
// Without waiting for open connections.
process.exit(0);
