/** The certificate of our own HTTPS: whether it is there, belongs to its key and to PUBLIC_URL, and for how long. */
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { judgePair, type PairJudgement } from "../security/certificate-pair.ts";
import type { DoctorInput, Finding } from "./finding.ts";

const DAY_MS = 86_400_000;
/** Let's Encrypt renews 30 days before the end: then renewing has failed for more than a week. */
const EXPIRES_SOON_MS = 21 * DAY_MS;

/** Mail is sent by a client, which shows no certificate to anybody. */
export async function checkCertificate({ config, clock }: DoctorInput): Promise<Finding> {
  const check = "certificate";
  const { certsDir, publicUrl } = config;
  const [cert, key] = await Promise.all([read(join(certsDir, "http.crt")), read(join(certsDir, "http.key"))]);
  if (cert === null || key === null) return { check, ...judgeMissing(config) };
  if (cert instanceof Error || key instanceof Error) {
    const { message } = cert instanceof Error ? cert : (key as Error);
    return { check, state: "problem", detail: `The certificate cannot be read: ${message}.` };
  }
  const judgement = judgePair({ cert, key }, clock.now());
  return { check, ...judgeCertificate(judgement, { certsDir, publicUrl, nowMs: clock.now() }) };
}

/** Null where there is no such file. */
function read(file: string): Promise<string | Error | null> {
  return readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? null : error));
}

type Verdict = Pick<Finding, "state" | "detail">;

const isLoopback = (host: string): boolean => /^(localhost|127\..*|\[?::1\]?)$/.test(host);

/** What it means that there is no certificate, by who can connect. */
function judgeMissing({ publicUrl, host, trustProxy }: DoctorInput["config"]): Verdict {
  const files = "put http.crt and http.key into CERTS_DIR";
  if (publicUrl.startsWith("https:")) {
    if (isLoopback(host) || trustProxy > 0) {
      const detail = `There is none here, and none is needed: the proxy in front shows the one for ${publicUrl}. Its end is not looked at.`;
      return { state: "ok", detail };
    }
    const detail = `There is none here, so ${publicUrl} works only where a proxy in front speaks HTTPS, which cannot be told from here. If one does, set TRUST_PROXY, and HOST=127.0.0.1 where it runs on this host; else ${files}.`;
    return { state: "unclear", detail };
  }
  const open = `keys and passwords can be read on the way. To end that, ${files}, or use a proxy that speaks HTTPS and put its address into PUBLIC_URL.`;
  if (!isLoopback(new URL(publicUrl).hostname)) {
    return { state: "warning", detail: `There is none, and ${publicUrl} is plain HTTP: ${open}` };
  }
  if (isLoopback(host)) {
    const detail = `There is none, and none is needed yet: HOST=${host} takes connections from this host only. Before others use it, ${files}, or a proxy that speaks HTTPS in front.`;
    return { state: "ok", detail };
  }
  const detail = `There is none, and HOST=${host} answers other hosts by plain HTTP: ${open} If only this host uses it, set HOST=127.0.0.1.`;
  return { state: "warning", detail };
}

interface CertificateContext {
  certsDir: string;
  publicUrl: string;
  nowMs: number;
}

const formatDay = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

function judgeCertificate(judgement: PairJudgement, circumstances: CertificateContext): Verdict {
  switch (judgement.type) {
    case "unusable": {
      const { certsDir } = circumstances;
      const detail = `http.crt and http.key in ${certsDir} cannot be used: ${judgement.fault}. Replace both.`;
      return { state: "problem", detail };
    }
    case "expired":
      return {
        state: "problem",
        detail: `It expired on ${formatDay(judgement.untilMs)}: clients refuse it. Renew it.`,
      };
    case "early": {
      const from = new Date(judgement.fromMs).toISOString();
      return { state: "problem", detail: `It is valid only from ${from}: clients refuse it. Look at the clock.` };
    }
    case "usable":
      return judgeUsable(judgement, circumstances);
  }
}

function judgeUsable(
  { certificate, untilMs }: Extract<PairJudgement, { type: "usable" }>,
  { publicUrl, nowMs }: CertificateContext,
): Verdict {
  if (untilMs - nowMs < EXPIRES_SOON_MS) {
    const days = Math.floor((untilMs - nowMs) / DAY_MS);
    return {
      state: "warning",
      detail: `It expires on ${formatDay(untilMs)}, in ${days} days. Renew it; see why that did not happen by itself.`,
    };
  }
  const host = new URL(publicUrl).hostname.replace(/[[\]]/g, "");
  const fits = (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
  if (host !== "localhost" && !fits) {
    return {
      state: "warning",
      detail: `It is not for ${host}, the host of PUBLIC_URL: browsers refuse it. Make both agree.`,
    };
  }
  return { state: "ok", detail: `It is valid until ${formatDay(untilMs)}.` };
}
