/**
 * Wires the certificate by ACME. Its parts are loaded only where ACME_EMAIL is set: the library for it takes memory. The listener
 * of challenges and the certificate from the spool come before the other listeners, the renewal after them.
 */
import { runDutyTask } from "../app/installation/duty-task.ts";
import { describeListenFailure } from "../app/installation/startup-checks.ts";
import type { AcmeConfig } from "../config.ts";
import { type AutomaticCertificate, type Listener, listen } from "../http/server.ts";
import type { ObtainedPair } from "../security/served-certificate.ts";
import type { Tenure } from "../spool/port/duties.ts";
import type { ServiceCore } from "./service-core.ts";

export interface Acme {
  obtained: ObtainedPair;
  /** Of the HTTP listener; null behind a reverse proxy. */
  http: AutomaticCertificate | null;
  /** Begins to obtain and renew it. Returns how to stop. */
  start(): () => Promise<void>;
  close(): Promise<void>;
}

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
    start: () => startRenewal(core, acme),
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

function startRenewal({ spool, vault, clock, log }: ServiceCore, settings: AcmeConfig): () => Promise<void> {
  const begin = async (tenure: Tenure) => {
    const { CertificateRenewal } = await import("../acme/renewal.ts");
    return new CertificateRenewal({ settings, store: spool, vault, clock, log, tenure, random: Math.random });
  };
  const task = runDutyTask(spool.duties, "certificates", () => {
    const tenure = spool.duties.tenure("certificates");
    if (tenure === null) return () => {};
    const renewal = begin(tenure);
    void renewal.then((loaded) => loaded.start());
    return async () => (await renewal).stop();
  });
  return () => task.stop();
}
