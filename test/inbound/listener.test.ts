/** The inbound listener with a certificate, with one that comes later, and with nodemailer as another server. */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { createTransport } from "nodemailer";
import { DOMAIN, envelopeSender, startFakeInbound } from "../support/fake-inbound.ts";
import { selfSigned } from "../support/self-signed.ts";
import { SubmissionClient } from "../support/submission-client.ts";
import { tempDir } from "../support/temp-dir.ts";

const MESSAGE = "Subject: x\r\n\r\nHi\r\n";

function put(dir: string, name: "smtp" | "http", host = "mta.test"): string {
  const { key, cert } = selfSigned(host);
  writeFileSync(join(dir, `${name}.key`), key);
  writeFileSync(join(dir, `${name}.crt`), cert);
  return cert;
}

async function offersTls(t: TestContext, port: number): Promise<boolean> {
  const client = await SubmissionClient.open(t, port);
  const reply = await client.command("EHLO mx.example");
  client.close();
  return /^250[- ]STARTTLS\r?$/m.test(reply);
}

describe("STARTTLS", () => {
  it("is offered with the certificate of SMTP, else that of HTTP, and mail arrives under it", async (t) => {
    for (const name of ["smtp", "http"] as const) {
      const certsDir = tempDir(t);
      put(certsDir, name);
      const { port, stored } = await startFakeInbound(t, { certsDir });
      assert.equal(await offersTls(t, port), true);
      const client = await SubmissionClient.open(t, port);
      await client.command("EHLO mx.example");
      assert.match(await client.command("MAIL FROM:<injected@b.example>"), /^250 /);
      await client.startTls(`RCPT TO:<${envelopeSender()}>`);
      assert.doesNotMatch(await client.command("EHLO mx.example"), /STARTTLS|AUTH/);
      assert.match(await client.command(`RCPT TO:<${envelopeSender()}>`), /^503 /);
      const reply = await client.send({ from: "a@b.example", to: [envelopeSender()], content: MESSAGE });
      assert.equal(reply, "250 2.0.0 Accepted");
      assert.deepEqual(
        stored.map(({ envelopeSender: sender }) => sender),
        ["a@b.example"],
      );
    }
  });

  it("is not needed: mail arrives without it too", async (t) => {
    const certsDir = tempDir(t);
    put(certsDir, "smtp");
    const { port, stored } = await startFakeInbound(t, { certsDir });
    const client = await SubmissionClient.open(t, port);
    await client.command("EHLO mx.example");
    assert.equal(await client.send({ to: [envelopeSender()], content: MESSAGE }), "250 2.0.0 Accepted");
    assert.equal(stored.length, 1);
  });

  it("is offered once there is a certificate, and a renewed one is served", async (t) => {
    const { port, clock, certsDir } = await startFakeInbound(t);
    const early = await SubmissionClient.open(t, port);
    assert.equal(await offersTls(t, port), false);
    writeFileSync(join(certsDir, "smtp.key"), "half");
    writeFileSync(join(certsDir, "smtp.crt"), "half");
    await clock.advance(10_000);
    assert.equal(await offersTls(t, port), false);
    put(certsDir, "smtp", "first.example");
    await clock.advance(10_000);
    assert.equal(await offersTls(t, port), true);
    assert.match(await early.command("NOOP"), /^250 /);
    const renewed = new X509Certificate(put(certsDir, "smtp", "second.example")).fingerprint256;
    const served = async (): Promise<string | undefined> => {
      const client = await SubmissionClient.open(t, port);
      await client.command("EHLO mx.example");
      await client.startTls();
      const fingerprint = client.certificate;
      client.close();
      return fingerprint;
    };
    // The files are read twice, and asynchronously.
    for (let reading = 0; reading < 100 && (await served()) !== renewed; reading += 1) await clock.advance(10_000);
    assert.equal(await served(), renewed);
  });
});

describe("the listener", () => {
  it("cannot start at a port that is in use", async (t) => {
    const { port } = await startFakeInbound(t);
    await assert.rejects(startFakeInbound(t, { port }), /EADDRINUSE/);
  });

  it("cannot start with a certificate that cannot be used", async (t) => {
    const certsDir = tempDir(t);
    writeFileSync(join(certsDir, "smtp.key"), "none");
    writeFileSync(join(certsDir, "smtp.crt"), "none");
    await assert.rejects(startFakeInbound(t, { certsDir }));
  });
});

it("nodemailer delivers a bounce and a report, and learns which recipient is rejected", async (t) => {
  const certsDir = tempDir(t);
  put(certsDir, "smtp");
  const { port, stored } = await startFakeInbound(t, { certsDir });
  const transport = createTransport({ host: "127.0.0.1", port, requireTLS: true, tls: { rejectUnauthorized: false } });
  t.after(() => transport.close());
  const bounce = await transport.sendMail({
    envelope: { from: "", to: [envelopeSender()] },
    from: "MAILER-DAEMON@mx.example",
    to: envelopeSender(),
    subject: "Undelivered",
    text: "No such user",
  });
  assert.equal(bounce.response, "250 2.0.0 Accepted");
  const report = await transport.sendMail({
    envelope: { from: "dmarc@mx.example", to: [`dmarc-reports@bounces.${DOMAIN}`, "you@customers.example"] },

    from: "dmarc@mx.example",
    subject: "Report",
    attachments: [{ filename: "a.zip", content: Buffer.alloc(200_000, 1) }],
  });
  assert.deepEqual(report.rejected, ["you@customers.example"]);
  assert.deepEqual(
    stored.map(({ recipient, envelopeSender: sender }) => [recipient, sender]),
    [
      [envelopeSender(), ""],
      [`dmarc-reports@bounces.${DOMAIN}`, "dmarc@mx.example"],
    ],
  );
  assert.match(stored[0]?.content.toString() ?? "", /^From: MAILER-DAEMON@mx\.example\r\n/);
  assert.ok((stored[1]?.content.length ?? 0) > 200_000);
});
