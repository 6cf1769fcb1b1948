/** Preflight with Debian's Postfix, Exim and OpenSMTPD: a session as far as MAIL, and never a recipient. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { missingPeers } from "../support/debian-peers.ts";
import { exim, opensmtpd, postfix, type StartServer } from "../support/debian-servers.ts";
import { until } from "../support/peers.ts";
import { runCli } from "../support/run-cli.ts";
import { startWorld } from "../support/world.ts";

const skip = missingPeers();

interface Given {
  name: string;
  start: StartServer;
  /** The receiver that it plays, and the domain of its profile. */
  receiver: string;
  domain: string;
  expected: readonly [verdict: string, step: string];
  /** A line of its log for the session. */
  logged: RegExp;
}

const SERVERS: readonly Given[] = [
  {
    name: "Postfix",
    start: postfix(),
    receiver: "gmail",
    domain: "gmail.com",
    expected: ["accepted", "mail"],
    logged: /disconnect from .* ehlo=2 starttls=1 mail=1 rset=1 quit=1/,
  },
  {
    name: "Postfix that requires TLS",
    start: postfix({ demanded: true }),
    receiver: "yahoo",
    domain: "yahoo.com",
    expected: ["accepted", "mail"],
    logged: /disconnect from .* ehlo=2 starttls=1 mail=1 rset=1 quit=1/,
  },
  {
    name: "Postfix without a certificate",
    start: postfix({ broken: true }),
    receiver: "gmx",
    domain: "gmx.net",
    expected: ["refused", "starttls"],
    logged: /disconnect from/,
  },
  {
    name: "Exim",
    start: exim,
    receiver: "orange",
    domain: "orange.fr",
    expected: ["accepted", "mail"],
    logged: /SMTP connection from/,
  },
  {
    name: "OpenSMTPD",
    start: opensmtpd,
    receiver: "icloud",
    domain: "icloud.com",
    expected: ["accepted", "mail"],
    logged: /smtp disconnected/,
  },
];

interface Preflight {
  addresses: { receivers: { name: string; verdict: string; step: string; reply: string }[] }[];
}

for (const { name, start, receiver, domain, expected, logged } of SERVERS) {
  test(`preflight with ${name}`, { timeout: 60_000, skip }, async (t) => {
    const world = await startWorld(t);
    const server = await start(t, { world, domain });
    const { stdout } = await runCli(["preflight", "--receiver", receiver, "--json"], world.env);
    const [result] = (JSON.parse(stdout) as Preflight).addresses.flatMap(({ receivers }) => receivers);
    assert.deepEqual([result?.verdict, result?.step], expected, result?.reply);
    await until("the log of the session", () => logged.test(server.log()));
    assert.doesNotMatch(server.log(), /rcpt=|RCPT/i);
  });
}
