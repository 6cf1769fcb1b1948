/**
 * A world for programs that submit messages: the service at both ports of submission, with a certificate of an authority that the
 * programs trust, and the messages that arrive at the sink.
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import type { SinkEntry } from "../../src/sink.ts";
import { certificateAuthority } from "./self-signed.ts";
import { tempDir } from "./temp-dir.ts";
import { bindVerified, RECIPIENT_DOMAIN, startWorld, type World } from "./world.ts";

/** The name of the service in the root directories of the programs, and in its certificate. */
export const SUBMISSION_HOST = "mta.example.com";
/** A verified domain. */
export const SUBMITTER = "hello@example.com";
export const RECIPIENT = `you@${RECIPIENT_DOMAIN}`;

export interface SubmissionSite {
  world: World;
  /** The PEM certificate of the authority. */
  authority: string;
  /** With STARTTLS. */
  port: number;
  /** Under TLS from the first octet. */
  tlsPort: number;
}

/** Starts a site; plaintext is allowed from loopback. `env` overrides the service's environment. */
export async function startSubmissionSite(t: TestContext, env: Record<string, string> = {}): Promise<SubmissionSite> {
  const certsDir = join(tempDir(t), "certs");
  mkdirSync(certsDir, { mode: 0o700 });
  const authority = certificateAuthority();
  const { key, cert } = authority.issue(SUBMISSION_HOST);
  writeFileSync(join(certsDir, "smtp.key"), key, { mode: 0o600 });
  writeFileSync(join(certsDir, "smtp.crt"), cert);
  const world = await startWorld(t, {
    CERTS_DIR: certsDir,
    MTA_HOSTNAME: SUBMISSION_HOST,
    SUBMISSION_PORT: "0",
    SUBMISSIONS_PORT: "0",
    SUBMISSION_ALLOW_PLAINTEXT: "true",
    ...env,
  });
  const { service, zone, resolver } = world;
  await bindVerified({ service, zone, resolver, certsDir }, "example.com");
  const { submissionPort: port, submissionsPort: tlsPort } = service;
  assert.ok(port !== null && tlsPort !== null, "it does not listen");
  return { world, authority: authority.cert, port, tlsPort };
}

export interface Arrived {
  entry: SinkEntry;
  content: Buffer;
}

/** The messages with this subject that were accepted, newest first. */
export async function accepted({ world }: SubmissionSite, subject: string): Promise<string[]> {
  const answer = await fetch(`${world.service.url}/api/sending/messages?subject=${encodeURIComponent(subject)}`, {
    headers: { Authorization: `Bearer ${world.key}` },
  });
  const { messages } = (await answer.json()) as { messages: { id: string }[] };
  return messages.map(({ id }) => id);
}

/** The message as it arrived at the sink, once it is delivered; its DKIM signature is valid. */
export async function arrived({ world }: SubmissionSite, id: string): Promise<Arrived> {
  const report = (await (await world.lookUp(id, "?wait=20")).json()) as { message_id: string };
  const entry = world.sink.entries.find(({ message_id }) => message_id === report.message_id);
  assert.ok(entry?.file, JSON.stringify(report));
  assert.equal(entry.dkim.result, "pass", JSON.stringify(entry));
  return { entry, content: readFileSync(join(dirname(world.env.DATA_DIR ?? ""), "sink", entry.file)) };
}
