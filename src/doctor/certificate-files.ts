/**
 * Reads a certificate that the service presents, and judges what matters for every server: whether it can be used, and how long it is
 * valid. Which names it must have, and what its absence means, is decided by the check of each protocol.
 */

import type { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DAY_MS } from "../lib/units.ts";
import { checkPair } from "../security/certificate-pair.ts";
import type { Finding } from "./finding.ts";

export type Verdict = Pick<Finding, "state" | "detail">;

/** `found`: it can be used now and for some weeks. */
export type ExaminedPair =
  | { type: "missing" }
  | { type: "judged"; verdict: Verdict }
  | { type: "found"; certificate: X509Certificate; untilDay: string };

/** ACME clients renew 30 days before the expiry, so at this point renewal has failed for more than a week. */
const EXPIRES_SOON_MS = 21 * DAY_MS;

/** Of a listener without files: automatic-certificate.ts examines the certificate that it has. */
export const BY_ACME: Verdict = {
  state: "ok",
  detail: "There are no files in CERTS_DIR: the certificate by ACME is presented (see automatic_certificate).",
};

/** Examines DIR/NAME.crt and DIR/NAME.key as of `nowMs`. They are missing where one of them is. */
export async function examinePair(
  { dir, name }: { dir: string; name: "http" | "smtp" },
  nowMs: number,
): Promise<ExaminedPair> {
  const files = [`${name}.crt`, `${name}.key`];
  const [cert = null, key = null] = await Promise.all(files.map((file) => read(join(dir, file))));
  if (cert === null || key === null) return { type: "missing" };
  if (cert instanceof Error || key instanceof Error) {
    const { message } = cert instanceof Error ? cert : (key as Error);
    return problem(`The certificate is not readable: ${message}.`);
  }
  const judgement = checkPair({ cert, key }, nowMs, name);
  switch (judgement.type) {
    case "unusable":
      return problem(`${files.join(" and ")} in ${dir} cannot be used: ${judgement.fault}. Replace both files.`);
    case "expired":
      return problem(
        `The certificate expired on ${formatDay(judgement.untilMs)}, and clients reject it. Renew ${files[0]}.`,
      );
    case "not_yet_valid": {
      const from = new Date(judgement.fromMs).toISOString();
      return problem(`The certificate is valid only from ${from}, and clients reject it until then. Check the clock.`);
    }
    case "usable":
      return judgeUsable(judgement, nowMs);
  }
}

function judgeUsable(
  { certificate, untilMs }: { certificate: X509Certificate; untilMs: number },
  nowMs: number,
): ExaminedPair {
  const untilDay = formatDay(untilMs);
  if (untilMs - nowMs >= EXPIRES_SOON_MS) return { type: "found", certificate, untilDay };
  const days = Math.floor((untilMs - nowMs) / DAY_MS);
  const detail = `The certificate expires on ${untilDay}, in ${days} days. Renew it, and find out why automatic renewal failed.`;
  return { type: "judged", verdict: { state: "warning", detail } };
}

/** Null where the file does not exist. */
function read(file: string): Promise<string | Error | null> {
  return readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? null : error));
}

const formatDay = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

const problem = (detail: string): ExaminedPair => ({ type: "judged", verdict: { state: "problem", detail } });
