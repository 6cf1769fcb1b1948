import assert from "node:assert/strict";
import { test } from "node:test";
import type { OpenResult, SessionOptions } from "../../../src/delivery/smtp/session.ts";
import type { PeerCheck } from "../../../src/delivery/smtp/tls.ts";
import { transact } from "../../../src/delivery/smtp/transaction.ts";
import type { Script, ScriptedSmtpOptions, Step } from "../../support/scripted-smtp.ts";
import { selfSigned } from "../../support/self-signed.ts";
import { done, inShort, message, open, openOrFail, startPeer, until } from "./fixture.ts";

const TLS = selfSigned("mx.example.test");

function inWords(result: OpenResult): string {
  switch (result.type) {
    case "refused":
      return `refused ${result.stage} ${result.reply.code}`;
    case "unreachable":
      return `unreachable ${result.stage}`;
    default:
      return result.type;
  }
}

test("EHLO yields the capabilities", async (t) => {
  const offers =
    "250-mx hello\n250-pipelining\n250-SIZE 1000\n250-8BITMIME\n250-CHUNKING\n250-DSN\n250 LIMITS MAILMAX=5 RCPTMAX=20";
  const peer = await startPeer(t, { script: { ehlo: () => offers } });
  const session = await openOrFail(peer);
  assert.deepEqual(session.capabilities, {
    pipelining: true,
    size: 1000,
    eightBitMime: true,
    smtpUtf8: false,
    enhancedStatusCodes: false,
    startTls: false,
    dsn: true,
    rcptMax: 20,
    mailMax: 5,
  });
  assert.deepEqual(peer.commands, ["EHLO client.test"]);
  assert.equal(session.usable, true);
  await session.quit();
  assert.deepEqual(peer.commands, ["EHLO client.test", "QUIT"]);
  assert.equal(session.usable, false);
});

test("malformed capabilities count as absent", async (t) => {
  const peer = await startPeer(t, {
    script: { ehlo: () => "250-PIPELINING\n250-SIZE lots\n250 LIMITS RCPTMAX=0 MAILMAX=x" },
  });
  const { capabilities } = await openOrFail(peer);
  assert.equal(capabilities.pipelining, false, "the first line is the server's name");
  assert.deepEqual([capabilities.size, capabilities.rcptMax, capabilities.mailMax], [0, null, null]);
});

for (const code of [500, 501, 502, 504, 550]) {
  test(`EHLO refused with ${code}: HELO`, async (t) => {
    const peer = await startPeer(t, { script: { ehlo: () => `${code} no` } });
    const session = await openOrFail(peer);
    assert.deepEqual(peer.commands, ["EHLO client.test", "HELO client.test"]);
    assert.equal(session.capabilities.pipelining, false);
    assert.equal(session.fallback, "helo");
    assert.match(session.notes.join(), new RegExp(`^EHLO rejected with ${code}, continued with HELO$`, "u"));
    const { recipients } = await done(transact(session, message()));
    assert.deepEqual(inShort(recipients), ["final_dot 250"]);
  });
}

const DROP: Step = { drop: true };
const SILENT: Step = { silent: true };
const openings: [name: string, script: Script, expected: string][] = [
  ["greeting 554", { greeting: () => "554 no mail here" }, "refused greeting 554"],
  ["greeting 421", { greeting: () => "421 busy" }, "refused greeting 421"],
  ["greeting of several lines", { greeting: () => "220-one\n220-two\n220 three" }, "open"],
  ["greeting 220, in its last line 521", { greeting: () => "220-mx\n521 no mail here" }, "refused greeting 521"],
  ["greeting 354", { greeting: () => "354 what" }, "unreachable greeting"],
  ["greeting malformed", { greeting: () => ({ raw: "SSH-2.0-OpenSSH\r\n" }) }, "unreachable greeting"],
  ["greeting silent", { greeting: () => SILENT }, "unreachable greeting"],
  ["greeting dropped", { greeting: () => DROP }, "unreachable greeting"],
  ["EHLO 450", { ehlo: () => "450 later" }, "refused ehlo 450"],
  ["EHLO 421", { ehlo: () => "421 busy" }, "refused ehlo 421"],
  ["EHLO silent", { ehlo: () => SILENT }, "unreachable ehlo"],
  ["EHLO dropped", { ehlo: () => DROP }, "unreachable ehlo"],
  ["EHLO malformed", { ehlo: () => ({ raw: "550-a\r\n250 b\r\n" }) }, "unreachable ehlo"],
  ["HELO refused", { ehlo: () => "502 no", helo: () => "550 neither" }, "refused ehlo 550"],
  ["HELO dropped", { ehlo: () => "502 no", helo: () => DROP }, "unreachable ehlo"],
];
for (const [name, script, expected] of openings) {
  test(`${name}: ${expected}`, async (t) => {
    const peer = await startPeer(t, { script });
    const result = await open(peer, { timeouts: { greeting: 150, ehlo: 150 } });
    assert.equal(inWords(result), expected);
    if (result.type === "open") result.session.destroy();
    await until(() => peer.open === 0);
  });
}

test("a closed port", async (t) => {
  const peer = await startPeer(t);
  await peer.close();
  assert.equal(inWords(await open(peer)), "unreachable connect");
});

test("STARTTLS: the handshake names the host, then EHLO again, and the earlier capabilities are discarded", async (t) => {
  const peer = await startPeer(t, {
    tls: TLS,
    script: { ehlo: (_, { secure }) => (secure ? "250-mx\n250 SIZE 5" : "250-mx\n250-PIPELINING\n250 STARTTLS") },
  });
  const session = await openOrFail(peer);
  assert.deepEqual(peer.commands, ["EHLO client.test", "STARTTLS", "EHLO client.test"]);
  assert.equal(peer.states[0]?.serverName, "mx.example.test");
  assert.equal(session.tls?.protocol, "TLSv1.3");
  assert.match(session.tls?.cipher ?? "", /^TLS_/u);
  assert.equal(session.tls?.verified, false, "the certificate is not trusted");
  assert.deepEqual([session.capabilities.pipelining, session.capabilities.size], [false, 5]);
  const { recipients } = await done(transact(session, message({ content: Buffer.from("a\r\n") })));
  assert.deepEqual(inShort(recipients), ["final_dot 250"]);
  assert.equal(peer.transactions[0]?.secure, true);
  session.destroy();
});

test("whether the certificate verifies for the name is recorded", async (t) => {
  const peer = await startPeer(t, { tls: TLS });
  const right = await openOrFail(peer, { ca: TLS.cert });
  assert.equal(right.tls?.verified, true);
  const wrong = await openOrFail(peer, { ca: TLS.cert, mx: "other.example.test" });
  assert.equal(wrong.tls?.verified, false);
  right.destroy();
  wrong.destroy();
});

test("a certificate that must verify", async (t) => {
  const peer = await startPeer(t, { tls: TLS });
  const strict: Partial<SessionOptions> = { tls: "required", check: ({ verificationError: fault }) => fault };
  const right = await openOrFail(peer, { ca: TLS.cert, ...strict });
  assert.equal(right.tls?.verified, true);
  right.destroy();
  assert.equal(inWords(await open(peer, strict)), "tls_failed");
  assert.equal(inWords(await open(peer, { ca: TLS.cert, mx: "other.test", ...strict })), "tls_failed");
  const renamed = await openOrFail(peer, { ca: TLS.cert, mx: "other.test", serverName: "mx.example.test", ...strict });
  assert.equal(renamed.tls?.verified, true);
  renamed.destroy();
});

test("a check gets the requested name and the chain, and an accepted certificate counts as verified", async (t) => {
  const peer = await startPeer(t, { tls: TLS });
  const names: string[][] = [];
  const check: PeerCheck = ({ serverName, chain }) => {
    names.push([serverName, ...chain().map((certificate) => certificate.subjectAltName ?? "")]);
    return null;
  };
  const session = await openOrFail(peer, { tls: "required", check });
  assert.deepEqual(names, [["mx.example.test", "DNS:mx.example.test"]]);
  assert.equal(session.tls?.verified, true, "although no trust anchor verifies it");
  session.destroy();
  const refused = await open(peer, { tls: "required", check: () => "not this one" });
  assert.ok(refused.type === "tls_failed" && refused.error === "not this one");
  assert.deepEqual(peer.states.at(-1)?.commands, ["EHLO client.test", "STARTTLS"], "nothing was sent under TLS");
});

test("required TLS never falls back to plain text", async (t) => {
  const without = await startPeer(t);
  assert.equal(inWords(await open(without, { tls: "required" })), "tls_failed");
  const refusing = await startPeer(t, { tls: TLS, script: { starttls: () => "454 not now" } });
  assert.equal(inWords(await open(refusing, { tls: "required" })), "tls_failed");
});

test("no STARTTLS when it is not wanted", async (t) => {
  const peer = await startPeer(t, { tls: TLS });
  const session = await openOrFail(peer, { tls: "none" });
  assert.equal(session.tls, null);
  assert.deepEqual(peer.commands, ["EHLO client.test"]);
  assert.equal(session.fallback, "none");
  session.destroy();
});

for (const code of [454, 501, 554]) {
  test(`STARTTLS refused with ${code}: plain text on the same connection, with a note`, async (t) => {
    const peer = await startPeer(t, { tls: TLS, script: { starttls: () => `${code} no` } });
    const session = await openOrFail(peer);
    assert.equal(session.tls, null);
    assert.match(session.notes.join(), new RegExp(`${code}.*plain text`, "u"));
    assert.equal(session.fallback, "plaintext");
    const { recipients } = await done(transact(session, message()));
    assert.deepEqual(inShort(recipients), ["final_dot 250"]);
    assert.equal(peer.connections, 1);
    session.destroy();
  });
}

const startTlsTroubles: [name: string, step: Step, expected: string][] = [
  ["421", "421 busy", "refused starttls 421"],
  ["a drop", DROP, "tls_failed"],
  ["a drop behind the 220", { drop: true, raw: "220 go\r\n" }, "tls_failed"],
  ["silence", SILENT, "unreachable starttls"],
  ["rubbish", { raw: "eh\r\n" }, "tls_failed"],
  ["a reply injected behind the 220", { raw: "220 go\r\n250-evil\r\n250 PIPELINING\r\n" }, "tls_failed"],
  ["part of a reply injected", { raw: "220 go\r\n250-evil" }, "tls_failed"],
];
for (const [name, step, expected] of startTlsTroubles) {
  test(`STARTTLS answered with ${name}: ${expected}`, async (t) => {
    const peer = await startPeer(t, { tls: TLS, script: { starttls: () => step } });
    assert.equal(inWords(await open(peer, { timeouts: { starttls: 150 } })), expected);
    await until(() => peer.open === 0);
  });
}

test("a failed handshake is reported, and nothing more is sent", async (t) => {
  const peer = await startPeer(t, { capabilities: ["STARTTLS"], script: { starttls: () => "220 go" } });
  const result = await open(peer);
  assert.equal(inWords(result), "tls_failed");
  assert.ok(result.type === "tls_failed" && result.error.length > 0);
  await until(() => peer.open === 0);
  assert.deepEqual(peer.commands, ["EHLO client.test", "STARTTLS"]);
});

test("a handshake that stalls or loses its connection", async (t) => {
  const stalling = await startPeer(t, {
    capabilities: ["STARTTLS"],
    script: { starttls: () => ({ pause: true, raw: "220 go\r\n" }) },
  });
  assert.equal(inWords(await open(stalling, { timeouts: { starttls: 150 } })), "tls_failed");
  const dropping = await startPeer(t, {
    capabilities: ["STARTTLS"],
    script: { starttls: () => ({ drop: true, raw: "220 go\r\n" }) },
  });
  assert.notEqual(inWords(await open(dropping)), "open");
});

const CERTIFICATE_REQUIRED = { requestCert: true, rejectUnauthorized: true, minVersion: "TLSv1.3" } as const;
const underTls = (step: Step): Script => ({ ehlo: (_, { secure }) => (secure ? step : undefined) });
const breaks: [name: string, options: ScriptedSmtpOptions, ended: string, error: RegExp][] = [
  ["a client certificate is required", { tlsOptions: CERTIFICATE_REQUIRED }, "lost", /requires a client certificate/],
  ["the connection ends before the reply", { script: underTls(DROP) }, "lost", /closed/],
  ["the reply is rubbish", { script: underTls({ raw: "eh\r\n" }) }, "protocol_error", /malformed/],
];
for (const [name, options, ended, error] of breaks) {
  test(`TLS that breaks at EHLO because ${name} has failed, with the state of TLS`, async (t) => {
    const peer = await startPeer(t, { tls: TLS, ...options });
    const result = await open(peer, { timeouts: { ehlo: 300 } });
    assert.ok(result.type === "tls_failed" && result.tls !== null, inWords(result));
    assert.deepEqual([result.stage, result.ended], ["ehlo", ended]);
    assert.match(result.error, error);
  });
}

test("EHLO refused after TLS is reported with the TLS details", async (t) => {
  const peer = await startPeer(t, { tls: TLS, script: { ehlo: (_, { secure }) => (secure ? "450 no" : undefined) } });
  const result = await open(peer);
  assert.equal(inWords(result), "refused ehlo 450");
  assert.ok(result.type === "refused" && result.tls !== null);
});

test("EHLO refused permanently after TLS: HELO, without the earlier capabilities", async (t) => {
  const peer = await startPeer(t, { tls: TLS, script: { ehlo: (_, { secure }) => (secure ? "502 no" : undefined) } });
  const session = await openOrFail(peer);
  assert.notEqual(session.tls, null);
  assert.equal(session.capabilities.pipelining, false);
  assert.equal(session.fallback, "helo");
  session.destroy();
});

test("QUIT without a reply does not delay the end", async (t) => {
  const peer = await startPeer(t, { script: { quit: () => SILENT } });
  const session = await openOrFail(peer, { timeouts: { quit: 50 } });
  await session.quit();
  await until(() => peer.open === 0);
});

test("a session is not usable beyond the peer's MAILMAX", async (t) => {
  const peer = await startPeer(t, { capabilities: ["LIMITS MAILMAX=2"] });
  const session = await openOrFail(peer);
  await transact(session, message());
  assert.equal(session.usable, true);
  await transact(session, message());
  assert.equal(session.transactions, 2);
  assert.equal(session.usable, false);
  session.destroy();
});
