/** Whether the HTTPS certificate exists, matches its key and PUBLIC_URL, and how long it is valid. */
import { isIP } from "node:net";
import { isLoopbackName, isLoopbackUrl } from "../lib/loopback-name.ts";
import { BY_ACME, type ExaminedPair, examinePair, type Verdict } from "./certificate-files.ts";
import type { DoctorInput, Finding } from "./finding.ts";

/** Submission has its own check (submission-certificate.ts); delivery is an SMTP client and presents none. */
export async function checkCertificate({ config, clock }: DoctorInput): Promise<Finding> {
  const check = "certificate";
  const examined = await examinePair({ dir: config.certsDir, name: "http" }, clock.now());
  switch (examined.type) {
    case "missing":
      return { check, ...(config.acme?.servesHttp ? BY_ACME : judgeMissing(config)) };
    case "judged":
      return { check, ...examined.verdict };
    case "found":
      return { check, ...judgeName(examined, config) };
  }
}

/** The verdict without a certificate, which depends on who can connect. */
function judgeMissing({ publicUrl, host, trustProxy }: DoctorInput["config"]): Verdict {
  const files = "put http.crt and http.key into CERTS_DIR";
  if (publicUrl.startsWith("https:")) {
    if (isLoopbackName(host) || trustProxy > 0) {
      const detail = `There is no certificate here, and none is needed: the reverse proxy presents the one for ${publicUrl}. Its expiry is not checked.`;
      return { state: "ok", detail };
    }
    const detail = `There is no certificate here, so ${publicUrl} works only behind a reverse proxy with HTTPS, which cannot be checked from here. If there is one, set TRUST_PROXY, and HOST=127.0.0.1 if it runs on this server. Otherwise ${files}.`;
    return { state: "unclear", detail };
  }
  const open = `keys and passwords can be intercepted. To fix this, ${files}, or use a reverse proxy with HTTPS and set PUBLIC_URL to its address.`;
  if (!isLoopbackUrl(publicUrl)) {
    return { state: "warning", detail: `There is no certificate, and ${publicUrl} is plain HTTP: ${open}` };
  }
  if (isLoopbackName(host)) {
    const detail = `There is no certificate, and none is needed yet: HOST=${host} accepts connections from this server only. Before other hosts use it, ${files}, or set up a reverse proxy with HTTPS.`;
    return { state: "ok", detail };
  }
  const detail = `There is no certificate, and HOST=${host} accepts plain HTTP from other hosts: ${open} If only this server uses it, set HOST=127.0.0.1.`;
  return { state: "warning", detail };
}

function judgeName(
  { certificate, untilDay }: Extract<ExaminedPair, { type: "found" }>,
  { publicUrl }: DoctorInput["config"],
): Verdict {
  const host = new URL(publicUrl).hostname.replace(/[[\]]/g, "");
  const fits = (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
  if (host !== "localhost" && !fits) {
    return {
      state: "warning",
      detail: `The certificate is not for ${host}, the host of PUBLIC_URL, and browsers reject it. Replace the certificate or correct PUBLIC_URL.`,
    };
  }
  return { state: "ok", detail: `The certificate is valid until ${untilDay}.` };
}
