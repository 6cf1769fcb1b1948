/** The notice that the certificate by ACME could not be obtained or renewed several times in succession. Once a day. */
import { rfc3339 } from "../../lib/clock.ts";
import { DAY_MS } from "../../lib/units.ts";
import { type CertificateState, readCertificateState } from "../../spool/port/certificate-state.ts";
import type { KeyValueStore } from "../../spool/port/key-value.ts";
import type { NoticeDraft } from "./notice.ts";

/** Failures in succession; the next attempt after fewer ones may succeed. */
const NOTICED_FROM = 3;

export async function renewalNotices(store: Pick<KeyValueStore, "readValue">, nowMs: number): Promise<NoticeDraft[]> {
  const { certificate, refused, order } = await readCertificateState(store);
  const lasting = [...Object.entries(refused), ["The order", order] as const].flatMap(([what, failure]) =>
    failure !== null && failure.count >= NOTICED_FROM ? [`${what}: ${failure.detail}`] : [],
  );
  if (lasting.length === 0) return [];
  return [
    {
      kind: "certificate_not_renewed",
      accountId: null,
      cause: "certificate by ACME",
      occurrence: `day ${Math.floor(nowMs / DAY_MS)}`,
      subject: "The certificate of this server could not be renewed",
      paragraphs: [
        "The certificate of this server could not be obtained or renewed, several times in succession.",
        ...lasting,
        `${presentText(certificate)} Further attempts follow. What the doctor finds on this server, with the time of the next one:`,
      ],
      link: "/dashboard/operator/host",
    },
  ];
}

const presentText = (certificate: CertificateState["certificate"]): string =>
  certificate === null
    ? "There is no certificate yet."
    : `The present one, for ${certificate.names.join(", ")}, is served until ${rfc3339(certificate.untilMs)}.`;
