/** Whether the HTTPS certificate exists, matches its key and PUBLIC_URL, and how long it is valid. */
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { checkPair, type PairStatus } from "../security/certificate-pair.ts";
import type { DoctorInput, Finding } from "./finding.ts";

const DAY_MS = 86_400_000;
/** ACME clients renew 30 days before the expiry, so at this point renewal has failed for more than a week. */
const EXPIRES_SOON_MS = 21 * DAY_MS;

/** Delivery is an SMTP client and presents no certificate, so only HTTPS needs one. */
export async function checkCertificate({ config, clock }: DoctorInput): Promise<Finding> {
  const check = "certificate";
  const { certsDir, publicUrl } = config;
  const [cert, key] = await Promise.all([read(join(certsDir, "http.crt")), read(join(certsDir, "http.key"))]);
  if (cert === null || key === null) return { check, ...judgeMissing(config) };
  if (cert instanceof Error || key instanceof Error) {
    const { message } = cert instanceof Error ? cert : (key as Error);
    return { check, state: "problem", detail: `The certificate is not readable: ${message}.` };
  }
  const judgement = checkPair({ cert, key }, clock.now());
  return { check, ...judgeCertificate(judgement, { certsDir, publicUrl, nowMs: clock.now() }) };
}

/** Null where the file does not exist. */
function read(file: string): Promise<string | Error | null> {
  return readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? null : error));
}

type Verdict = Pick<Finding, "state" | "detail">;

const isLoopback = (host: string): boolean => /^(localhost|127\..*|\[?::1\]?)$/.test(host);

/** The verdict without a certificate, which depends on who can connect. */
function judgeMissing({ publicUrl, host, trustProxy }: DoctorInput["config"]): Verdict {
  const files = "put http.crt and http.key into CERTS_DIR";
  if (publicUrl.startsWith("https:")) {
    if (isLoopback(host) || trustProxy > 0) {
      const detail = `There is no certificate here, and none is needed: the reverse proxy presents the one for ${publicUrl}. Its expiry is not checked.`;
      return { state: "ok", detail };
    }
    const detail = `There is no certificate here, so ${publicUrl} works only behind a reverse proxy with HTTPS, which cannot be checked from here. If there is one, set TRUST_PROXY, and HOST=127.0.0.1 if it runs on this host. Otherwise ${files}.`;
    return { state: "unclear", detail };
  }
  const open = `keys and passwords can be intercepted. To fix this, ${files}, or use a reverse proxy with HTTPS and set PUBLIC_URL to its address.`;
  if (!isLoopback(new URL(publicUrl).hostname)) {
    return { state: "warning", detail: `There is no certificate, and ${publicUrl} is plain HTTP: ${open}` };
  }
  if (isLoopback(host)) {
    const detail = `There is no certificate, and none is needed yet: HOST=${host} accepts connections from this host only. Before other hosts use it, ${files}, or set up a reverse proxy with HTTPS.`;
    return { state: "ok", detail };
  }
  const detail = `There is no certificate, and HOST=${host} accepts plain HTTP from other hosts: ${open} If only this host uses it, set HOST=127.0.0.1.`;
  return { state: "warning", detail };
}

interface CertificateContext {
  certsDir: string;
  publicUrl: string;
  nowMs: number;
}

const formatDay = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

function judgeCertificate(judgement: PairStatus, circumstances: CertificateContext): Verdict {
  switch (judgement.type) {
    case "unusable": {
      const { certsDir } = circumstances;
      const detail = `http.crt and http.key in ${certsDir} cannot be used: ${judgement.fault}. Replace both files.`;
      return { state: "problem", detail };
    }
    case "expired":
      return {
        state: "problem",
        detail: `The certificate expired on ${formatDay(judgement.untilMs)}, and clients reject it. Renew it.`,
      };
    case "not_yet_valid": {
      const from = new Date(judgement.fromMs).toISOString();
      return {
        state: "problem",
        detail: `The certificate is valid only from ${from}, and clients reject it until then. Check the clock.`,
      };
    }
    case "usable":
      return judgeUsable(judgement, circumstances);
  }
}

function judgeUsable(
  { certificate, untilMs }: Extract<PairStatus, { type: "usable" }>,
  { publicUrl, nowMs }: CertificateContext,
): Verdict {
  if (untilMs - nowMs < EXPIRES_SOON_MS) {
    const days = Math.floor((untilMs - nowMs) / DAY_MS);
    return {
      state: "warning",
      detail: `The certificate expires on ${formatDay(untilMs)}, in ${days} days. Renew it, and find out why automatic renewal failed.`,
    };
  }
  const host = new URL(publicUrl).hostname.replace(/[[\]]/g, "");
  const fits = (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
  if (host !== "localhost" && !fits) {
    return {
      state: "warning",
      detail: `The certificate is not for ${host}, the host of PUBLIC_URL, and browsers reject it. Replace the certificate or correct PUBLIC_URL.`,
    };
  }
  return { state: "ok", detail: `The certificate is valid until ${formatDay(untilMs)}.` };
}
