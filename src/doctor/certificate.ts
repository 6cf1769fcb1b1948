/** The certificate of our own HTTPS: whether it is there, belongs to its key and to PUBLIC_URL, and for how long. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import type { Finding, Patient } from "./finding.ts";

const DAY_MS = 86_400_000;
/** Let's Encrypt renews 30 days before the end: then renewing has failed for more than a week. */
const EXPIRES_SOON_MS = 21 * DAY_MS;

/** Mail is sent by a client, which shows no certificate to anybody. */
export async function examineCertificate({ config, clock }: Patient): Promise<Finding> {
  const check = "certificate";
  const { certsDir, publicUrl } = config;
  const [cert, key] = await Promise.all([read(join(certsDir, "http.crt")), read(join(certsDir, "http.key"))]);
  if (cert === null || key === null) return { check, ...plainHttp(publicUrl) };
  if (cert instanceof Error || key instanceof Error) {
    const { message } = cert instanceof Error ? cert : (key as Error);
    return { check, state: "problem", detail: `The certificate cannot be read: ${message}.` };
  }
  try {
    return { check, ...certificateState(new X509Certificate(cert), { key, publicUrl, nowMs: clock.now() }) };
  } catch (error) {
    const detail = `http.crt and http.key in ${certsDir} cannot be used: ${(error as Error).message}. Replace both.`;
    return { check, state: "problem", detail };
  }
}

/** Null where there is no such file. */
function read(file: string): Promise<Buffer | Error | null> {
  return readFile(file).catch((error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? null : error));
}

type Judgement = Pick<Finding, "state" | "detail">;

function plainHttp(publicUrl: string): Judgement {
  if (publicUrl.startsWith("https:")) return { state: "ok", detail: "A proxy in front speaks HTTPS." };
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(new URL(publicUrl).hostname);
  const todo =
    "Put http.crt and http.key into CERTS_DIR, or a proxy that speaks HTTPS in front and its address into PUBLIC_URL.";
  if (isLocal) return { state: "ok", detail: `There is none: plain HTTP. Before others reach it: ${todo}` };
  return { state: "warning", detail: `${publicUrl} is plain HTTP: keys and passwords can be read on the way. ${todo}` };
}

interface Circumstances {
  key: Buffer;
  publicUrl: string;
  nowMs: number;
}

function certificateState(cert: X509Certificate, { key, publicUrl, nowMs }: Circumstances): Judgement {
  if (!cert.checkPrivateKey(createPrivateKey(key))) {
    return { state: "problem", detail: "http.key is not the key of http.crt. Replace both." };
  }
  const [fromMs, untilMs] = [Date.parse(cert.validFrom), Date.parse(cert.validTo)];
  const until = new Date(untilMs).toISOString().slice(0, 10);
  if (nowMs > untilMs) return { state: "problem", detail: `It expired on ${until}: clients refuse it. Renew it.` };
  if (nowMs < fromMs) {
    const from = new Date(fromMs).toISOString();
    return { state: "problem", detail: `It is valid only from ${from}: clients refuse it. Look at the clock.` };
  }
  if (untilMs - nowMs < EXPIRES_SOON_MS) {
    const days = Math.floor((untilMs - nowMs) / DAY_MS);
    return {
      state: "warning",
      detail: `It expires on ${until}, in ${days} days. Renew it; see why that did not happen by itself.`,
    };
  }
  const host = new URL(publicUrl).hostname.replace(/[[\]]/g, "");
  const fits = (isIP(host) === 0 ? cert.checkHost(host) : cert.checkIP(host)) !== undefined;
  if (host !== "localhost" && !fits) {
    return {
      state: "warning",
      detail: `It is not for ${host}, the host of PUBLIC_URL: browsers refuse it. Make both agree.`,
    };
  }
  return { state: "ok", detail: `It is valid until ${until}.` };
}
