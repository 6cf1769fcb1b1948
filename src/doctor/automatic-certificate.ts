/** Whether the certificate by ACME has been obtained, for all names, and what has failed since. */
import { rfc3339 } from "../lib/clock.ts";
import type { CertificateFailure, CertificateState } from "../spool/port/certificate-state.ts";
import type { Verdict } from "./certificate-files.ts";
import type { DoctorInput, DoctorSettings, Finding } from "./finding.ts";

const check = "automatic_certificate";

const OFF = "ACME_EMAIL is not set: certificates are those of files in CERTS_DIR.";

/** What to do about each failure. */
const REMEDY =
  "Every name must lead to this server, and the authority must reach ACME_HTTP_PORT (80) of it, or PORT (443) with ACME_HTTP_PORT=none.";

export async function checkAutomaticCertificate({ config, certificateState, clock }: DoctorInput): Promise<Finding> {
  if (config.acme === null) return { check, state: "ok", detail: OFF };
  if (certificateState === undefined)
    return { check, state: "unclear", detail: "There is no spool in which the certificate would be." };
  return { check, ...judge(config.acme, await certificateState(), clock.now()) };
}

function judge(
  { names: wanted }: NonNullable<DoctorSettings["acme"]>,
  { certificate, refused, order }: CertificateState,
  nowMs: number,
): Verdict {
  const failures = [
    ...(order === null ? [] : [describe("The last order failed", order)]),
    ...wanted.flatMap((name) => {
      const failure = refused[name];
      return failure === undefined ? [] : [describe(`${name} was not validated`, failure)];
    }),
  ];
  const reasons = failures.length === 0 ? "" : ` ${failures.join(" ")} ${REMEDY}`;
  if (certificate === null) {
    if (reasons === "")
      return {
        state: "warning",
        detail: `There is no certificate yet for ${wanted.join(", ")}: the running service obtains it.`,
      };
    return { state: "problem", detail: `There is no certificate for ${wanted.join(", ")}.${reasons}` };
  }
  const until = `The certificate by ACME for ${certificate.names.join(", ")} is valid until ${rfc3339(certificate.untilMs).slice(0, 10)}`;
  if (certificate.untilMs < nowMs)
    return { state: "problem", detail: `${until}: it has expired, and clients reject it.${reasons}` };
  if (certificate.fromMs !== undefined && certificate.fromMs > nowMs) {
    const from = `It is valid only from ${rfc3339(certificate.fromMs)}, by the clock of this server, which is behind that of the authority.`;
    return {
      state: "warning",
      detail: `${until}. ${from} It is served, and clients with the right time accept it. Set the clock.${reasons}`,
    };
  }
  const absent = wanted.filter((name) => !certificate.names.includes(name));
  const without = absent.length === 0 ? "" : `, and is not for ${absent.join(", ")}`;
  if (absent.length > 0 || reasons !== "") return { state: "warning", detail: `${until}${without}.${reasons}` };
  return { state: "ok", detail: `${until}, and is renewed automatically before that.` };
}

const describe = (what: string, { atMs, nextAtMs, detail }: CertificateFailure): string =>
  `${what} at ${rfc3339(atMs)}: ${detail.replace(/\.$/, "")}. The next attempt is at ${rfc3339(nextAtMs)}.`;
