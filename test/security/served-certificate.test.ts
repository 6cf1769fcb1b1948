/** A renewed certificate is served without a restart; an unusable one is not, and is logged. */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { pino } from "pino";
import { type AutomaticCertificate, listen } from "../../src/http/server.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { type KeyAndCertificate, selfSigned } from "../support/self-signed.ts";
import { tempDir } from "../support/temp-dir.ts";

const CHECK_MS = 10_000;
const DAY_MS = 86_400_000;

const serialOf = ({ cert }: KeyAndCertificate): string => new X509Certificate(cert).serialNumber;

/** `automatic`: what the service obtains by itself. */
async function serve(t: TestContext, write: (dir: string) => void, automatic: AutomaticCertificate | null = null) {
  const certsDir = tempDir(t);
  write(certsDir);
  const clock = fakeClock(Date.now());
  const lines: { level: number; msg: string; error?: string; notAfter?: string }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const answer = (_: unknown, res: { end(text: string): void }): void => res.end("ok");
  const listener = await listen({
    host: "127.0.0.1",
    port: 0,
    certsDir,
    automatic,
    clock,
    log,
    answer,
    rejected: () => {},
  });
  t.after(() => listener.close());

  const open = async (): Promise<TLSSocket> => {
    const socket = connect({ host: "127.0.0.1", port: listener.port, rejectUnauthorized: false });
    t.after(() => socket.destroy());
    await once(socket, "secureConnect");
    return socket;
  };
  return {
    certsDir,
    lines,
    listener,
    open,
    /** Returns the serial number of the certificate that a new client receives. */
    async served(): Promise<string> {
      const socket = await open();
      const { serialNumber } = socket.getPeerCertificate();
      socket.destroy();
      return serialNumber;
    },
    /** Advances the clock over this number of checks of the files. */
    async advanceChecks(times: number): Promise<void> {
      for (let i = 0; i < times; i += 1) {
        await clock.advance(CHECK_MS);
        while (clock.dueMs.length === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

function writePair(dir: string, { cert, key }: KeyAndCertificate): void {
  writeFileSync(join(dir, "http.crt"), cert);
  writeFileSync(join(dir, "http.key"), key);
}

async function ask(socket: TLSSocket): Promise<string> {
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const [chunk] = await once(socket, "data");
  return String(chunk).slice(0, 15);
}

test("a renewed pair is served to new clients, and open connections continue", async (t) => {
  const [old, renewed] = [selfSigned("a.example"), selfSigned("a.example", { untilMs: Date.now() + 90 * DAY_MS })];
  const { certsDir, lines, listener, open, served, advanceChecks } = await serve(t, (dir) => writePair(dir, old));
  const kept = await open();
  assert.equal(await ask(kept), "HTTP/1.1 200 OK");
  assert.equal(await served(), serialOf(old));
  await advanceChecks(3);
  assert.deepEqual(lines, []);

  writePair(certsDir, renewed);
  await advanceChecks(2);
  assert.equal(await served(), serialOf(renewed));
  assert.equal(await ask(kept), "HTTP/1.1 200 OK");
  const until = new X509Certificate(renewed.cert).validTo;
  assert.equal(listener.certificateEndsMs(), Date.parse(until));
  assert.deepEqual(
    lines.map(({ msg, notAfter }) => [msg, notAfter]),
    [["serving the new certificate", new Date(until).toISOString()]],
  );
});

test("files written slowly, one after the other, are loaded once both are complete, without a warning", async (t) => {
  const [old, renewed] = [selfSigned("a.example"), selfSigned("a.example")];
  const { certsDir, lines, served, advanceChecks } = await serve(t, (dir) => writePair(dir, old));
  const steps: [string, string][] = [
    ["http.crt", ""],
    ["http.crt", renewed.cert.slice(0, 200)],
    ["http.crt", renewed.cert],
    ["http.key", renewed.key.slice(0, 50)],
  ];
  for (const [name, text] of steps) {
    writeFileSync(join(certsDir, name), text);
    await advanceChecks(1);
    assert.equal(await served(), serialOf(old));
  }
  writeFileSync(join(certsDir, "http.key"), renewed.key);
  await advanceChecks(2);
  assert.equal(await served(), serialOf(renewed));
  assert.equal(lines.length, 1);
});

test("an unusable pair is logged once and the old one is served until a usable pair follows", async (t) => {
  const [old, other, renewed] = [selfSigned("a.example"), selfSigned("a.example"), selfSigned("a.example")];
  const { certsDir, lines, served, advanceChecks } = await serve(t, (dir) => writePair(dir, old));
  const expired = selfSigned("a.example", { fromMs: Date.now() - 9 * DAY_MS, untilMs: Date.now() - DAY_MS });
  const broken: [KeyAndCertificate, RegExp][] = [
    [{ cert: other.cert, key: renewed.key }, /http\.key does not match http\.crt/],
    [{ cert: "no PEM", key: other.key }, /no start line|PEM/i],
    [{ cert: other.cert, key: "" }, /no start line|PEM|unsupported/i],
    [expired, /valid only until/],
    [selfSigned("a.example", { fromMs: Date.now() + DAY_MS, untilMs: Date.now() + 9 * DAY_MS }), /valid only from/],
  ];
  for (const [pair, expected] of broken) {
    lines.length = 0;
    writePair(certsDir, pair);
    await advanceChecks(4);
    assert.equal(await served(), serialOf(old));
    assert.equal(lines.length, 1, JSON.stringify(lines));
    const [{ level, msg, error } = { level: 0, msg: "" }] = lines;
    assert.deepEqual([level, msg.includes("still serving the old one")], [40, true]);
    assert.match(error ?? "", expected);
    assert.ok(!JSON.stringify(lines).includes("PRIVATE KEY"));
  }
  lines.length = 0;
  rmSync(join(certsDir, "http.key"));
  await advanceChecks(3);
  assert.equal(await served(), serialOf(old));
  assert.match(lines[0]?.error ?? "", /ENOENT.*http\.key/);
  writePair(certsDir, renewed);
  await advanceChecks(2);
  assert.equal(await served(), serialOf(renewed));
});

test("a pair that is not valid yet is served as soon as it is valid", async (t) => {
  const fromMs = Date.now() + 60_000;
  const [old, early] = [selfSigned("a.example"), selfSigned("a.example", { fromMs, untilMs: fromMs + 9 * DAY_MS })];
  const { certsDir, lines, served, advanceChecks } = await serve(t, (dir) => writePair(dir, old));
  writePair(certsDir, early);
  await advanceChecks(3);
  assert.equal(await served(), serialOf(old));
  await advanceChecks(5);
  assert.equal(await served(), serialOf(early));
  assert.deepEqual(
    lines.map(({ level }) => level),
    [40, 30],
  );
});

test("an obtained pair that is not valid yet by this host's clock is served, and an expired one is not", async (t) => {
  const placeholder = selfSigned("a.example");
  const validFrom = (fromMs: number) => selfSigned("a.example", { fromMs, untilMs: fromMs + 9 * DAY_MS });
  const [early, expired] = [validFrom(Date.now() + DAY_MS), validFrom(Date.now() - 10 * DAY_MS)];
  let obtained: KeyAndCertificate | null = null;
  const { lines, served, advanceChecks } = await serve(t, () => {}, { obtained: () => obtained, placeholder });
  assert.equal(await served(), serialOf(placeholder));
  for (const pair of [early, expired]) {
    obtained = pair;
    await advanceChecks(3);
    assert.equal(await served(), serialOf(early));
  }
  assert.deepEqual(
    lines.map(({ level }) => level),
    [30, 40],
  );
});

test("swapped symbolic links, as certbot and Kubernetes make them, are followed", async (t) => {
  const pairs = [selfSigned("a.example"), selfSigned("a.example"), selfSigned("a.example")] as const;
  const [first, second, third] = pairs;
  const { certsDir, served, advanceChecks } = await serve(t, (dir) => {
    for (const [i, pair] of pairs.entries()) {
      mkdirSync(join(dir, `..v${i}`));
      writePair(join(dir, `..v${i}`), pair);
    }
    symlinkSync("..v0", join(dir, "..data"));
    for (const name of ["http.crt", "http.key"]) symlinkSync(join("..data", name), join(dir, name));
  });
  assert.equal(await served(), serialOf(first));
  symlinkSync("..v1", join(certsDir, "..new"));
  renameSync(join(certsDir, "..new"), join(certsDir, "..data"));
  await advanceChecks(2);
  assert.equal(await served(), serialOf(second));
  for (const name of ["http.crt", "http.key"]) {
    rmSync(join(certsDir, name));
    symlinkSync(join("..v2", name), join(certsDir, name));
    await advanceChecks(1);
  }
  await advanceChecks(1);
  assert.equal(await served(), serialOf(third));
});

test("plain HTTP has no certificate and loads none", async (t) => {
  const { listener, certsDir } = await serve(t, () => {});
  assert.equal(listener.certificateEndsMs(), null);
  writePair(certsDir, selfSigned("a.example"));
  assert.equal(listener.secure, false);
});
