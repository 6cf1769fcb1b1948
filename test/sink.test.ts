/** The sink over SMTP, and the files in its directory. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { connect as connectTls } from "node:tls";
import { dkimSign } from "mailauth";
import { createResolver } from "../src/dns/stub-resolver.ts";
import { readFeedback } from "../src/message/feedback/feedback.ts";
import { runSink, type Sink, type SinkEntry, startSink } from "../src/sink.ts";
import { startZoneServer, type ZoneServer } from "../src/testing/zone-server.ts";
import { until as waitUntil } from "./support/peers.ts";
import { programArgs } from "./support/program.ts";
import { startScriptedSmtp } from "./support/scripted-smtp.ts";

const SENDER = "app@shop.test";
const MESSAGE = "From: app@shop.test\r\nSubject: Hello\r\nMessage-ID: <1@shop.test>\r\n\r\nHi\r\n";

let zone: ZoneServer;
let sink: Sink;
let dir: string;
const seen: SinkEntry[] = [];

before(async () => {
  zone = await startZoneServer();
  dir = await mkdtemp(join(tmpdir(), "sink-"));
  const resolver = createResolver({ servers: [zone.address], timeoutMs: 200, tries: 1 });
  sink = await startSink({ port: 0, dir, resolver, onMessage: (entry) => seen.push(entry) });
});
after(async () => {
  await sink.close();
  await zone.close();
  await rm(dir, { recursive: true });
});

/** A scripted SMTP client. Replies are their lines joined; null once the connection is closed. */
class Client {
  #lines: Interface;
  #next: AsyncIterator<string>;

  constructor(readonly socket: Socket) {
    socket.on("error", () => {});
    this.#lines = createInterface({ input: socket });
    this.#next = this.#lines[Symbol.asyncIterator]();
  }

  async reply(): Promise<string | null> {
    const lines: string[] = [];
    while (true) {
      const { value, done } = await this.#next.next();
      if (done) return null;
      lines.push(value);
      if (value[3] !== "-") return lines.join("\n");
    }
  }

  async say(line: string): Promise<string | null> {
    this.socket.write(`${line}\r\n`);
    return this.reply();
  }

  /** The replies to RCPT and, if it was accepted, to the final dot. */
  async mail(recipient: string, message = MESSAGE): Promise<(string | null)[]> {
    await this.say(`MAIL FROM:<${SENDER}>`);
    const answer = await this.say(`RCPT TO:<${recipient}>`);
    if (!answer?.startsWith("250")) {
      await this.say("RSET");
      return [answer];
    }
    await this.say("DATA");
    return [answer, await this.say(`${message}.`)];
  }
}

async function dial(port = sink.port): Promise<Client> {
  const client = new Client(connect(port, "127.0.0.1"));
  assert.match((await client.reply()) ?? "", /^220 /);
  assert.match((await client.say("EHLO mta.shop.test")) ?? "", /^250/);
  return client;
}

function newest(): SinkEntry {
  const entry = sink.entries.at(-1);
  assert.ok(entry);
  return entry;
}

describe("sink", { timeout: 20_000 }, () => {
  it("offers the extensions of a modern server, and no AUTH", async () => {
    const client = await dial();
    const offer = await client.say("EHLO mta.shop.test");
    for (const word of ["PIPELINING", "8BITMIME", "SMTPUTF8", "STARTTLS", "SIZE", "DSN"])
      assert.match(offer ?? "", new RegExp(word));
    assert.doesNotMatch(offer ?? "", /AUTH/);
    client.socket.destroy();
  });

  it("stores the exact bytes, and a line about them", async () => {
    const client = await dial();
    const message = "Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\r\n =?utf-8?B?IQ==?=\r\n\r\n.dot\r\n\u00e9\r\n\r\n";
    await client.say("MAIL FROM:<> BODY=8BITMIME");
    await client.say("RCPT TO:<delivered@one.test>");
    await client.say("RCPT TO:<other@xn--bcher-kva.test>");
    await client.say("DATA");
    assert.match((await client.say(`${message.replace(".dot", "..dot")}.`)) ?? "", /^250 2\.0\.0 /);
    const lines = (await readFile(join(dir, "messages.jsonl"), "utf8")).trimEnd().split("\n");
    const entry = JSON.parse(lines.at(-1) ?? "") as SinkEntry;
    assert.deepEqual(entry, newest());
    assert.deepEqual(entry, seen.at(-1));
    assert.equal(await readFile(join(dir, entry.file ?? ""), "utf8"), message);
    assert.match(entry.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(entry.file, `${entry.id}.eml`);
    const { size_bytes, mail_from, rcpt_to, client_ip, ehlo, tls, subject, message_id, answer } = entry;
    assert.deepEqual(
      { size_bytes, mail_from, rcpt_to, client_ip, ehlo, tls, subject, message_id, answer },
      {
        size_bytes: Buffer.byteLength(message),
        mail_from: "",
        rcpt_to: ["delivered@one.test", "other@xn--bcher-kva.test"],
        client_ip: "127.0.0.1",
        ehlo: "mta.shop.test",
        tls: null,
        subject: "Gr\u00fc\u00dfe!",
        message_id: null,
        answer: "accepted",
      },
    );
    client.socket.destroy();
  });

  it("refuses at RCPT with the code in the local part", async () => {
    const client = await dial();
    assert.match((await client.mail("5xx-550@one.test"))[0] ?? "", /^550 5\.0\.0 /);
    assert.match((await client.mail("5XX-553+tag@one.test"))[0] ?? "", /^553 5\.0\.0 /);
    assert.match((await client.mail("nobody@one.test"))[0] ?? "", /^550 5\.1\.1 /);
    assert.match((await client.mail("5xx-552@one.test"))[0] ?? "", /^552 5\.0\.0 /);
    assert.match((await client.mail("4xx-450@one.test"))[0] ?? "", /^450 4\.0\.0 /);
    assert.match((await client.mail("4xx-421@one.test"))[0] ?? "", /^421 4\.0\.0 /);
    assert.equal(await client.reply(), null);
  });

  it("refuses a malformed local part, and names the correct form", async () => {
    const client = await dial();
    const forms: [string, string][] = [
      ["5xx-600", "5xx-CODE@ with a code from 500 to 599, such as 5xx-550@"],
      ["5xx-450", "5xx-CODE@ with a code from 500 to 599, such as 5xx-550@"],
      ["5xx", "5xx-CODE@ with a code from 500 to 599, such as 5xx-550@"],
      ["4xx-abc", "4xx-CODE@ with a code from 400 to 499, such as 4xx-451@"],
      ["4xx-451-", "4xx-CODE@ with a code from 400 to 499, such as 4xx-451@"],
      ["greylist-", "greylist-N@ with a number from 0 to 9999, such as greylist-2@"],
      ["greylist-two+tag", "greylist-N@ with a number from 0 to 9999, such as greylist-2@"],
      ["slow-99999s", "slow-Ns@ with seconds from 0 to 9999, such as slow-5s@"],
      ["Slow-5", "slow-Ns@ with seconds from 0 to 9999, such as slow-5s@"],
      ["drop-after-data", "drop-after-dot@"],
      ["bounce-later-5s", "bounce-later@"],
    ];
    for (const [local, form] of forms) {
      const [answer] = await client.mail(`${local}@one.test`);
      assert.equal(answer, `501 5.1.3 Malformed action; the form is ${form}`, local);
    }
    for (const local of ["slowly", "greylist", "5xxx", "drop", "x-5xx-550"]) {
      assert.match((await client.mail(`${local}@one.test`))[1] ?? "", /^250 /, local);
    }
    client.socket.destroy();
  });

  it("greylists each pair of sender and recipient, and starts again after acceptance", async () => {
    const client = await dial();
    const codes = async (recipient: string, count: number) => {
      const replies: (string | undefined)[] = [];
      for (let tries = 0; tries < count; tries++) replies.push((await client.mail(recipient))[0]?.slice(0, 9));
      return replies;
    };
    assert.deepEqual(await codes("greylist-2@one.test", 1), ["451 4.7.1"]);
    assert.deepEqual(await codes("greylist-1@one.test", 2), ["451 4.7.1", "250 Accep"]);
    assert.deepEqual(await codes("greylist-2@one.test", 4), ["451 4.7.1", "250 Accep", "451 4.7.1", "451 4.7.1"]);
    client.socket.destroy();
  });

  it("stores a message whose connection it closes after the final dot", async () => {
    const client = await dial();
    const [, answer] = await client.mail("drop-after-dot@one.test");
    assert.equal(answer, null);
    assert.deepEqual([newest().answer, newest().rcpt_to], ["dropped_after_dot", ["drop-after-dot@one.test"]]);
  });

  it("accepts a message to bounce-later@, and sends a bounce to the given host", async (t) => {
    const inbound = await startScriptedSmtp();
    t.after(() => inbound.close());
    const lines: string[] = [];
    const resolver = createResolver({ servers: [zone.address], timeoutMs: 200, tries: 1 });
    const bouncesTo = { host: inbound.host, port: inbound.port };
    const bouncing = await startSink({ port: 0, dir: null, resolver, bouncesTo, onBounce: (line) => lines.push(line) });
    t.after(() => bouncing.close());
    const client = await dial(bouncing.port);
    assert.match((await client.mail("bounce-later+7@one.test"))[1] ?? "", /^250 2\.0\.0 Stored as /);
    assert.deepEqual(bouncing.entries[0]?.rcpt_to, ["bounce-later+7@one.test"]);
    await waitUntil("the bounce", () => lines.length === 1);
    assert.equal(lines[0], `bounce for <${SENDER}> sent to ${inbound.host}:${inbound.port}: 250 2.0.0 queued`);
    const [{ mailFrom, rcptTo, message } = assert.fail("no bounce")] = inbound.transactions;
    assert.deepEqual([mailFrom, rcptTo], ["", [SENDER]]);
    const feedback = await readFeedback(message);
    assert.ok(feedback.type === "bounced");
    assert.equal(feedback.original.messageId, "<1@shop.test>");
    assert.deepEqual(
      feedback.bounces.map(({ recipient, status }) => [recipient, status]),
      [["bounce-later+7@one.test", "5.1.1"]],
    );
    client.socket.destroy();
  });

  it("delays the reply on request, after storing the message", async () => {
    const client = await dial();
    const kept = sink.entries.length;
    const answer = client.mail("slow-1s@one.test");
    while (sink.entries.length === kept) await new Promise(setImmediate);
    assert.equal(await Promise.race([answer, new Promise((soon) => setImmediate(soon, "waiting"))]), "waiting");
    assert.match((await answer)[1] ?? "", /^250 /);
    client.socket.destroy();
  });

  it("accepts a pipelined envelope", async () => {
    const client = await dial();
    client.socket.write(`MAIL FROM:<${SENDER}>\r\nRCPT TO:<5xx-550@one.test>\r\nRCPT TO:<ok@one.test>\r\nDATA\r\n`);
    const replies = [await client.reply(), await client.reply(), await client.reply(), await client.reply()];
    assert.deepEqual(
      replies.map((reply) => reply?.slice(0, 3)),
      ["250", "550", "250", "354"],
    );
    assert.match((await client.say(`${MESSAGE}.`)) ?? "", /^250 /);
    assert.deepEqual(newest().rcpt_to, ["ok@one.test"]);
    client.socket.destroy();
  });

  it("records the TLS protocol after STARTTLS", async () => {
    const plain = await dial();
    assert.match((await plain.say("STARTTLS")) ?? "", /^220 /);
    const socket = connectTls({ socket: plain.socket, rejectUnauthorized: false, maxVersion: "TLSv1.2" });
    await once(socket, "secureConnect");
    const client = new Client(socket);
    assert.doesNotMatch((await client.say("EHLO mta.shop.test")) ?? "", /STARTTLS/);
    assert.match((await client.mail("ok@one.test"))[1] ?? "", /^250 /);
    assert.equal(newest().tls, "TLSv1.2");
    socket.destroy();
  });

  it("survives misbehaving clients, and stores nothing without the final dot", async () => {
    const [kept, files] = [sink.entries.length, (await readdir(dir)).length];
    const cut = await dial();
    await cut.say(`MAIL FROM:<${SENDER}>`);
    await cut.say("RCPT TO:<ok@one.test>");
    await cut.say("DATA");
    cut.socket.write("Subject: half");
    cut.socket.resetAndDestroy();
    const odd = await dial();
    for (const line of ["\0\u00ff", "RCPT TO:<x>", "MAIL FROM", "DATA", "x".repeat(3000)]) {
      assert.match((await odd.say(line)) ?? "", /^5\d\d/, line);
    }
    odd.socket.write("x".repeat(100_000));
    assert.match((await odd.reply()) ?? "", /^421/);
    const handshake = await dial();
    await handshake.say("STARTTLS");
    handshake.socket.end("no handshake\r\n");
    await once(handshake.socket, "close");
    assert.deepEqual([sink.entries.length, (await readdir(dir)).length], [kept, files]);
    assert.match((await (await dial()).mail("ok@one.test"))[1] ?? "", /^250 /);
  });

  it("replies 451 if the message cannot be stored", async () => {
    const lost = await mkdtemp(join(tmpdir(), "sink-"));
    const other = await startSink({ port: 0, dir: lost, resolver: createResolver({ servers: [zone.address] }) });
    await rm(lost, { recursive: true });
    const client = await dial(other.port);
    assert.match((await client.mail("ok@one.test"))[1] ?? "", /^451 4\.3\.0 /);
    assert.equal(other.entries.length, 0);
    await other.close();
  });

  it("with --no-tls offers no STARTTLS, without a directory stores no files, and closes connections when closed", async () => {
    const resolver = createResolver({ servers: [zone.address] });
    const other = await startSink({ port: 0, dir: null, tls: false, resolver });
    const client = await dial(other.port);
    assert.doesNotMatch((await client.say("EHLO mta.shop.test")) ?? "", /STARTTLS/);
    assert.match((await client.mail("ok@one.test"))[1] ?? "", /^250 /);
    assert.deepEqual([other.entries.length, other.entries[0]?.file], [1, null]);
    const slow = client.mail("slow-600s@one.test");
    while (other.entries.length === 1) await new Promise(setImmediate);
    await other.close();
    assert.equal((await slow)[1], null);
    await assert.rejects(startSink({ port: sink.port, dir: null, resolver }), { code: "EADDRINUSE" });
  });
});

describe("the sink's verdicts", { timeout: 20_000 }, () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  let client: Client;

  before(async () => {
    const p = publicKey.export({ type: "spki", format: "der" }).toString("base64");
    zone.set("s1._domainkey.shop.test", "TXT", [`v=DKIM1; k=rsa; p=${p}`]);
    zone.set("shop.test", "TXT", ["v=spf1 a:mx.shop.test -all"]);
    zone.set("mx.shop.test", "A", ["127.0.0.1"]);
    zone.set("_dmarc.shop.test", "TXT", ["v=DMARC1; p=reject"]);
    client = await dial();
  });
  after(() => client.socket.destroy());

  async function signed(): Promise<string> {
    const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    // The signer's type lacks the list that it expects.
    const options = { signatureData: [{ signingDomain: "shop.test", selector: "s1", privateKey: pem }] };
    const { signatures } = await dkimSign(MESSAGE, options as unknown as Parameters<typeof dkimSign>[1]);
    return signatures + MESSAGE;
  }

  it("passes a message that is signed and sent from an authorized address", async () => {
    await client.mail("ok@one.test", await signed());
    const { dkim, spf, dmarc } = newest();
    const { result, domain, selector, aligned, signatures } = dkim;
    assert.deepEqual([result, domain, selector, aligned, signatures.length], ["pass", "shop.test", "s1", true, 1]);
    assert.deepEqual([spf.result, spf.domain], ["pass", "shop.test"]);
    assert.deepEqual([dmarc.result, dmarc.policy], ["pass", "reject"]);
  });

  it("fails a message that was modified and sent from another address", async () => {
    zone.set("mx.shop.test", "A", ["192.0.2.1"]);
    await client.mail("ok@one.test", (await signed()).replace("Hello", "Hullo"));
    assert.deepEqual([newest().dkim.result, newest().spf.result, newest().dmarc.result], ["fail", "fail", "fail"]);
  });

  it("reports none without signature and records", async () => {
    await client.mail("ok@one.test", MESSAGE.replace("app@shop.test", "app@bare.test"));
    assert.deepEqual([newest().dkim.result, newest().dkim.signatures, newest().dmarc.result], ["none", [], "none"]);
    assert.deepEqual(newest().message_id, "<1@shop.test>");
  });

  it("reports temperror if DNS fails, and accepts the message", async () => {
    zone.fault("shop.test", "servfail");
    zone.fault("_dmarc.shop.test", "silent");
    zone.fault("s1._domainkey.shop.test", "refused");
    assert.match((await client.mail("ok@one.test", await signed()))[1] ?? "", /^250 /);
    const { dkim, spf, dmarc } = newest();
    assert.deepEqual([dkim.result, spf.result, dmarc.result], ["temperror", "temperror", "temperror"]);
    for (const name of ["shop.test", "_dmarc.shop.test", "s1._domainkey.shop.test"]) zone.fault(name, null);
  });
});

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

describe("the sink as a program", { timeout: 90_000 }, () => {
  const children = new Set<ChildProcess>();
  // A process left behind by a failed test would keep the file from ending.
  after(() => {
    for (const child of children) child.kill("SIGKILL");
  });

  function run(...args: string[]): ChildProcess {
    const child = spawn(process.execPath, [...programArgs("src/sink.ts"), ...args], {
      env: { ...process.env, DNS_SERVERS: zone.address },
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.add(child);
    return child;
  }

  async function outcome(child: ChildProcess): Promise<Outcome> {
    const output = { stdout: "", stderr: "" };
    child.stdout?.on("data", (chunk) => {
      output.stdout += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      output.stderr += chunk;
    });
    const [code] = await once(child, "close");
    return { code, ...output };
  }

  async function until(child: ChildProcess, pattern: RegExp): Promise<string> {
    let output = "";
    return new Promise((resolve, reject) => {
      child.stdout?.on("data", (chunk) => {
        output += chunk;
        if (pattern.test(output)) resolve(output);
      });
      child.once("exit", (code) => reject(new Error(`exit ${code} after: ${output}`)));
    });
  }

  it("prints a greeting, accepts messages and stops on a signal", async () => {
    const child = run("--port", "0", "--dir", join(dir, "program"), "--no-tls");
    const greeting = await until(child, /Stop with/);
    const port = Number(/SMTP sink on 127\.0\.0\.1:(\d+), without TLS/.exec(greeting)?.[1]);
    for (const part of ["5xx-CODE@", "greylist-N@", "slow-Ns@", "drop-after-dot@"]) assert.ok(greeting.includes(part));
    assert.match((await (await dial(port)).mail("ok@one.test"))[1] ?? "", /^250 /);
    assert.match(await readFile(join(dir, "program", "messages.jsonl"), "utf8"), /"rcpt_to":\["ok@one\.test"\]/);
    child.kill("SIGTERM");
    assert.deepEqual(await once(child, "exit"), [0, null]);
  });

  it("reports an error in one line, with an exit code", async () => {
    const { code, stdout, stderr } = await outcome(run("--port", "smtp"));
    assert.deepEqual([code, stdout, stderr], [2, "", "sink: --port smtp is not a port number\n"]);
  });
});

describe("the sink's output", { timeout: 20_000 }, () => {
  /** Runs the program in this process; `sink` if it started. The output is that of the moment when it is read. */
  async function start(...args: string[]): Promise<Outcome & { sink: Sink | null }> {
    const output = { stdout: "", stderr: "" };
    const started = await runSink(args, {
      env: { DNS_SERVERS: zone.address },
      write: (text) => {
        output.stdout += text;
      },
      writeError: (text) => {
        output.stderr += text;
      },
    });
    return {
      ...(typeof started === "number" ? { code: started, sink: null } : { code: null, sink: started }),
      get stdout() {
        return output.stdout;
      },
      get stderr() {
        return output.stderr;
      },
    };
  }

  it("listens on IPv6, without brackets", async () => {
    const { sink, stdout } = await start("--host", "::1", "--port", "0", "--dir", join(dir, "six"));
    const port = Number(/SMTP sink on \[::1\]:(\d+), with STARTTLS/.exec(stdout)?.[1]);
    const client = new Client(connect(port, "::1"));
    assert.match((await client.reply()) ?? "", /^220 /);
    client.socket.destroy();
    await sink?.close();
  });

  it("prints what became of each bounce", async (t) => {
    const inbound = await startScriptedSmtp();
    t.after(() => inbound.close());
    const host = `${inbound.host}:${inbound.port}`;
    const cases: [args: string[], greeting: string, line: string][] = [
      [["--bounces-to", host], `Bounces: to ${host}\n`, `bounce for <${SENDER}> sent to ${host}: 250 2.0.0 queued\n`],
      [[], "Bounces are not sent: there is no --bounces-to\n", `bounce for <${SENDER}> not sent: no host is given\n`],
    ];
    for (const [args, greeting, line] of cases) {
      const started = await start("--port", "0", "--no-tls", "--dir", join(dir, "bouncing"), ...args);
      assert.ok(started.stdout.includes(greeting), started.stdout);
      const client = await dial(started.sink?.port);
      await client.mail("bounce-later@one.test");
      await waitUntil("the line", () => started.stdout.includes(line));
      client.socket.destroy();
      await started.sink?.close();
    }
    assert.equal(inbound.transactions.length, 1);
  });

  it("prints help", async () => {
    const { code, stdout, stderr } = await start("--help");
    assert.deepEqual([code, stderr], [0, ""]);
    for (const word of ["--port", "--host", "--dir", "--bounces-to", "--no-tls", "DNS_SERVERS", "bounce-later@"]) {
      assert.ok(stdout.includes(word), word);
    }
  });

  it("reports errors in one line: exit 2 for wrong usage, 1 for failures", async () => {
    const file = join(dir, "file");
    await writeFile(file, "");
    const cases: [string[], number, string][] = [
      [["--port", "smtp"], 2, "--port smtp is not a port number"],
      [["--port", ""], 2, "--port  is not a port number"],
      [["--port", "65536"], 2, "--port 65536 is not a port number"],
      [["--bounces-to", "host"], 2, "--bounces-to host is not of the form HOST:PORT, such as 127.0.0.1:2526"],
      [["--frob"], 2, "Unknown option '--frob'; see --help"],
      [["extra"], 2, "Unexpected argument 'extra'; see --help"],
      [
        ["--host", "192.0.2.7", "--dir", dir],
        1,
        "--host 192.0.2.7 cannot be used: it is not an address of this server (EADDRNOTAVAIL)",
      ],
      [
        ["--port", String(sink.port), "--dir", dir],
        1,
        `--port ${sink.port} cannot be used: another program is listening on it at 127.0.0.1 (EADDRINUSE)`,
      ],
      [["--dir", file], 1, `--dir ${file} is a file, not a directory`],
    ];
    for (const [args, code, words] of cases) {
      assert.deepEqual(await start(...args), { code, sink: null, stdout: "", stderr: `sink: ${words}\n` });
    }
  });
});
