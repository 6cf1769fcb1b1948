/**
 * Whether the certificate of SMTP submission exists, can be used, and is for MTA_HOSTNAME: smtp.crt and smtp.key, else the pair of
 * HTTPS, else the one by ACME, as submission/listener.ts chooses it.
 */
import { BY_ACME, type ExaminedPair, examinePair, type Verdict } from "./certificate-files.ts";
import type { DoctorInput, DoctorSettings, Finding } from "./finding.ts";

const OFF =
  "Neither SUBMISSION_PORT nor SUBMISSIONS_PORT is set: SMTP submission is off, and needs no certificate. Set one for apps that send by SMTP.";

export async function checkSubmissionCertificate({ config, clock }: DoctorInput): Promise<Finding> {
  const check = "submission_certificate";
  if (config.submissionPort === null && config.submissionsPort === null) return { check, state: "ok", detail: OFF };
  for (const name of ["smtp", "http"] as const) {
    const examined = await examinePair({ dir: config.certsDir, name }, clock.now());
    if (examined.type === "judged") return { check, ...examined.verdict };
    if (examined.type === "found") return { check, ...judgeName(`${name}.crt`, examined, config) };
  }
  return { check, ...(config.acme === null ? judgeMissing(config) : BY_ACME) };
}

/** Without a certificate, clients on loopback may still authenticate where a setting allows it. */
function judgeMissing({ submissionsPort, submissionAllowPlaintext }: DoctorSettings): Verdict {
  const remedy = "Put smtp.crt and smtp.key, or http.crt and http.key, into CERTS_DIR.";
  if (submissionsPort === null && submissionAllowPlaintext) {
    const detail = `There is no certificate, so only clients on this server can submit messages by SMTP (SUBMISSION_ALLOW_PLAINTEXT=true). For others: ${remedy}`;
    return { state: "ok", detail };
  }
  const setting = submissionsPort === null ? "SUBMISSION_PORT" : "SUBMISSIONS_PORT";
  return {
    state: "problem",
    detail: `There is no certificate, and ${setting} needs one: messages are not accepted by SMTP. ${remedy}`,
  };
}

function judgeName(
  file: string,
  { certificate, untilDay }: Extract<ExaminedPair, { type: "found" }>,
  { hostname }: DoctorSettings,
): Verdict {
  if (certificate.checkHost(hostname) !== undefined) {
    return { state: "ok", detail: `The certificate of SMTP submission, ${file}, is valid until ${untilDay}.` };
  }
  const names = certificate.subjectAltName ?? "none";
  return {
    state: "warning",
    detail: `${file} is not for ${hostname}, which is MTA_HOSTNAME. Clients that verify certificates must connect by one of its names (${names}). Otherwise put a certificate for ${hostname} into CERTS_DIR as smtp.crt and smtp.key.`,
  };
}
