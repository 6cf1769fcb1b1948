/**
 * Wires the certificate by ACME. Its parts are loaded where ACME_EMAIL is set alone: the library for it takes memory. The listener
 * of challenges and the certificate from the spool come before the other listeners, the renewal after them.
 */
import { runDutyTask } from "../app/installation/duty-task.ts";
import { describeListenFailure } from "../app/installation/startup-checks.ts";
import { type Notice, type NoticeParts, notifyOperators } from "../app/send/notices.ts";
import type { AcmeConfig } from "../config.ts";
import { type AutomaticCertificate, type Listener, listen } from "../http/server.ts";
import { rfc3339 } from "../lib/clock.ts";
import { DAY_MS } from "../lib/units.ts";
import type { ObtainedPair } from "../security/served-certificate.ts";
import type { CertificateState } from "../spool/port/certificate-state.ts";
import type { ServiceCore } from "./service-core.ts";

export interface Acme {
  obtained: ObtainedPair;
  /** Of the HTTP listener; null behind a reverse proxy. */
  http: AutomaticCertificate | null;
  /** Begins to obtain and renew it. Returns how to stop. */
  start(parts: Pick<NoticeParts, "acceptMessage">): () => Promise<void>;
  close(): Promise<void>;
}

/** Failures in succession from which on operators are told. */
const TOLD_FROM = 3;

/** Null without ACME_EMAIL. Rejects if ACME_HTTP_PORT cannot be used. */
export async function wireAcme(core: ServiceCore): Promise<Acme | null> {
  const { config, spool: store, vault, clock, log } = core;
  if (config.acme === null) return null;
  const { acme } = config;
  const { ObtainedCertificate } = await import("../acme/obtained-certificate.ts");
  const certificate = new ObtainedCertificate({ store, vault, clock, log });
  await certificate.start();
  const challenges = acme.httpPort === null ? await copyChallenges(core) : null;
  const listener = acme.httpPort === null ? null : await listenForChallenges(core, acme.httpPort);
  const obtained = (): ReturnType<ObtainedPair> => certificate.pair;
  return {
    obtained,
    http: acme.servesHttp ? { obtained, placeholder: await placeholder(core, acme), ...challenges?.option } : null,
    start: (parts) => startRenewal(core, acme, parts),
    async close() {
      certificate.stop();
      challenges?.stop();
      await listener?.close();
    },
  };
}

async function placeholder({ clock }: ServiceCore, { names }: AcmeConfig) {
  const { placeholderCertificate } = await import("../acme/placeholder.ts");
  return placeholderCertificate(names, clock.now());
}

async function copyChallenges({ spool: store, clock }: ServiceCore) {
  const { ChallengeCertificates } = await import("../acme/challenges.ts");
  const certificates = new ChallengeCertificates({ store, clock });
  certificates.start();
  const challenge: AutomaticCertificate["challenge"] = (servername) => certificates.of(servername);
  return { option: { challenge }, stop: () => certificates.stop() };
}

/** The limits of its connections are those of the HTTP listener. */
async function listenForChallenges(core: ServiceCore, port: number): Promise<Listener> {
  const { config, spool: store, clock, log } = core;
  const { ChallengeReader } = await import("../acme/challenges.ts");
  const { challengeResponses } = await import("../acme/challenge-responses.ts");
  const { host, publicUrl } = config;
  const redirectTo = publicUrl.startsWith("https:") ? publicUrl : null;
  const answer = challengeResponses({ challenges: new ChallengeReader({ store, clock }), redirectTo, log });
  try {
    return await listen({ host, port, certsDir: null, clock, log, answer, rejected: () => {} });
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    const fault = describeListenFailure(code, { host, port }, { host: "HOST=", port: "ACME_HTTP_PORT=" });
    throw fault === null ? error : new Error(fault);
  }
}

function startRenewal(
  core: ServiceCore,
  settings: AcmeConfig,
  { acceptMessage }: Pick<NoticeParts, "acceptMessage">,
): () => Promise<void> {
  const { spool, vault, clock, log } = core;
  const { people } = spool;
  const notices = { clock, registry: spool, people, log, acceptMessage };
  const onFailure = async (state: CertificateState): Promise<void> => {
    const notice = failureNotice(state, clock.now());
    if (notice !== null) await notifyOperators(notices, notice);
  };
  const begin = async () => {
    const { CertificateRenewal } = await import("../acme/renewal.ts");
    return new CertificateRenewal({ settings, store: spool, vault, clock, log, random: Math.random, onFailure });
  };
  const task = runDutyTask(spool.duties, "certificates", () => {
    const renewal = begin();
    void renewal.then((loaded) => loaded.start());
    return async () => (await renewal).stop();
  });
  return () => task.stop();
}

/** At most one a day. Null where there is nothing yet that operators should know: the next attempts may succeed. */
function failureNotice({ certificate, refused, order }: CertificateState, nowMs: number): Notice | null {
  const lasting = [...Object.entries(refused), ["The order", order] as const].flatMap(([what, failure]) =>
    failure !== null && failure.count >= TOLD_FROM ? [`${what}: ${failure.detail}`] : [],
  );
  if (lasting.length === 0) return null;
  const present =
    certificate === null
      ? "There is no certificate yet."
      : `The present one, for ${certificate.names.join(", ")}, is served until ${rfc3339(certificate.untilMs)}.`;
  const paragraphs = [
    "The certificate of this server could not be obtained or renewed, several times in succession.",
    ...lasting,
    `${present} Further attempts follow by themselves; postrider doctor shows when.`,
  ];
  return {
    subject: "The certificate of this server could not be renewed",
    text: `${paragraphs.join("\n\n")}\n`,
    idempotencyKey: `certificate ${Math.floor(nowMs / DAY_MS)}`,
    about: { certificate: lasting },
  };
}
