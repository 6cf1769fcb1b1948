/**
 * Tries a package as a user gets it: installs the tarball in an empty folder, without running scripts on versions of Node that need none
 * compiled, and runs the help, the sink with a message, and the demo.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { outputOf, ROOT } from "./place.ts";

const DEMO_END = "✔ All results are as expected.";

/** The major versions of Node on which a package is tried. */
export const NODE_VERSIONS = ["20", "22", "24"];

/** Resolves with one line that says what worked. Rejects if something does not. */
export async function tryPackage(tarball: string, version: string, work: string): Promise<string> {
  const bin = join(outputOf(join(ROOT, ".ci/node"), [version, work]).trim(), "bin");
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, CI: "" };
  const dir = mkdtempSync(join(work, `app-${version}-`));
  try {
    writeFileSync(join(dir, "package.json"), '{ "name": "app", "private": true }\n');
    const scripts = Number(version) >= 22 ? ["--ignore-scripts"] : [];
    const options = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error", ...scripts];
    outputWith(env, dir, "npm", ["install", ...options, tarball]);
    const startMs = Date.now();
    requireText(outputWith(env, dir, "npx", ["postrider"]), "usage: postrider NOUN VERB");
    const seconds = (Date.now() - startMs) / 1000;
    await trySink(env, dir);
    requireText(outputWith(env, dir, "npx", ["postrider", "demo"]), DEMO_END);
    const node = outputWith(env, dir, "node", ["--version"]).trim();
    return `Node ${node}: help in ${seconds.toFixed(1)} s, sink and demo as expected`;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function outputWith(env: NodeJS.ProcessEnv, cwd: string, program: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}: ${stdout}${stderr}`);
  return stdout;
}

function requireText(output: string, text: string): void {
  if (!output.includes(text)) throw new Error(`the output lacks "${text}": ${output.slice(0, 2000)}`);
}

/** Starts the sink of the package, hands it a message, and stops it. */
async function trySink(env: NodeJS.ProcessEnv, dir: string): Promise<void> {
  const mail = join(dir, "mail");
  mkdirSync(mail);
  const args = [join(dir, "node_modules/postrider/dist/cli.js"), "sink", "--port", "0", "--dir", mail, "--no-tls"];
  const child = spawn("node", args, { cwd: dir, env: { ...env, DNS_SERVERS: "127.0.0.1:9" } });
  const exit = once(child, "exit");
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const [, port] = /^SMTP sink on 127\.0\.0\.1:(\d+)/.exec(String((await lines.next()).value)) ?? [];
    if (port === undefined) throw new Error("the sink does not say where it listens");
    await sendMessage(Number(port));
  } finally {
    child.kill("SIGTERM");
  }
  const [code] = await exit;
  if (code !== 0) throw new Error(`the sink ended with ${code}`);
  requireText(outputWith(env, dir, "cat", [join(mail, "messages.jsonl")]), "delivered@customers.example");
}

const DIALOG = [
  "EHLO shop.example",
  "MAIL FROM:<hello@shop.example>",
  "RCPT TO:<delivered@customers.example>",
  "DATA",
  "From: hello@shop.example\r\nSubject: Hello\r\n\r\nHi\r\n.",
  "QUIT",
];

/** Rejects unless each command gets a positive reply. */
async function sendMessage(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  const replies = createInterface({ input: socket })[Symbol.asyncIterator]();
  for (const command of [null, ...DIALOG]) {
    if (command !== null) socket.write(`${command}\r\n`);
    let line = "";
    do line = String((await replies.next()).value);
    while (/^\d{3}-/.test(line));
    if (!/^[23]/.test(line)) throw new Error(`the sink replied "${line}" to ${command ?? "the connection"}`);
  }
  socket.destroy();
}
