/**
 * Whether this host's clock is right, by the Date header of a web server of PROBE_DOMAINS (that of their MTA-STS policy,
 * which the delivery asks too). The certificate is not checked: with a clock that is far off no certificate is valid, and
 * all that is taken from there is a time to compare with.
 */
import { access } from "node:fs/promises";
import { request } from "node:https";
import { refusedRange } from "../dns/address-policy.ts";
import type { DoctorInput, Finding } from "./finding.ts";

const REQUEST_TIMEOUT_MS = 5000;
/** A Date header has whole seconds, and takes a while to come. */
const OFFSET_WARNING_MS = 10_000;
/** From here on certificates and signatures begin to be refused. */
const OFFSET_PROBLEM_MS = 3_600_000;

/** Made by systemd-timesyncd once it has set the clock. */
const SYNCHRONISED_FILE = "/run/systemd/timesync/synchronized";

export async function checkClock(patient: DoctorInput): Promise<Finding> {
  const offsets = await Promise.all(patient.config.probeDomains.map((domain) => measureOffsetMs(domain, patient)));
  const known = offsets.filter((offset) => offset !== null);
  // One of them may be wrong; that all are wrong alike is not likely.
  const nearest = known.toSorted((a, b) => Math.abs(a) - Math.abs(b))[0];
  if (nearest !== undefined) return clockFinding(nearest);
  const isSynchronised = await access(SYNCHRONISED_FILE).then(
    () => true,
    () => false,
  );
  const detail = isSynchronised
    ? "No web server could be asked for the time, but systemd-timesyncd keeps the clock."
    : "No web server could be asked for the time. See that an NTP client runs: timedatectl should say “System clock synchronized: yes”.";
  return { check: "clock", state: isSynchronised ? "ok" : "unclear", detail };
}

/** What it means that the clock is so much ahead of others (behind them, if less than 0). */
export function clockFinding(offset: number): Finding {
  const check = "clock";
  const off = Math.abs(offset);
  if (off <= OFFSET_WARNING_MS) return { check, state: "ok", detail: "The clock agrees with others to within 10 s." };
  const detail = `The clock is ${Math.round(off / 1000)} s ${offset > 0 ? "ahead of" : "behind"} others. Run an NTP client, such as systemd-timesyncd or chrony.`;
  return { check, state: off > OFFSET_PROBLEM_MS ? "problem" : "warning", detail };
}

async function measureOffsetMs(domain: string, patient: DoctorInput): Promise<number | null> {
  const { resolver, config, clock, httpsPort: port = 443 } = patient;
  const servername = `mta-sts.${domain}`;
  const answer = await resolver.a(servername);
  const addresses = answer.type === "found" ? answer.records : [];
  const host = addresses.find((address) => config.smtpAllowPrivate || refusedRange(address) === null);
  if (host === undefined) return null;
  const date = await fetchDate({ host, port, servername });
  return date === null ? null : clock.now() - date;
}

function fetchDate({
  host,
  port,
  servername,
}: {
  host: string;
  port: number;
  servername: string;
}): Promise<number | null> {
  return new Promise((resolve) => {
    const outgoing = request(
      {
        ...{ host, port, servername, method: "HEAD", path: "/.well-known/mta-sts.txt", agent: false },
        ...{
          headers: { Host: servername },
          rejectUnauthorized: false,
          signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
        },
      },
      (response) => {
        const date = Date.parse(response.headers.date ?? "");
        response.destroy();
        resolve(Number.isNaN(date) ? null : date);
      },
    );
    outgoing.on("error", () => resolve(null));
    outgoing.end();
  });
}
