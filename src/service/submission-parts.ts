/** The listeners of SMTP submission, on the same use case, rates and request log as HTTP. */

import type { AcceptBackpressure } from "../app/send/accept-backpressure.ts";
import { withoutRedaction } from "../lib/log.ts";
import type { ObtainedPair } from "../security/served-certificate.ts";
import { MessageMemory } from "../smtp-server/message-memory.ts";
import { listenForSubmission, type SubmissionListener } from "../submission/listener.ts";
import type { SubmissionReply } from "../submission/protocol.ts";
import type { HttpFront } from "./http-server.ts";
import type { ServiceCore } from "./service-core.ts";

export interface SubmissionFrontParts extends Pick<HttpFront, "acceptMessage" | "addresses" | "recorder"> {
  backpressure: AcceptBackpressure;
  /** By ACME; absent without it. */
  obtained: ObtainedPair | undefined;
}

/** The request log has a method and a path for each request. */
const REQUEST = { method: "SMTP", path: "/submission" };

/** Starts listening if a port is set. Rejects if a port cannot be used, or a certificate is missing. */
export async function startSubmission(
  core: ServiceCore,
  { acceptMessage, addresses, recorder, backpressure, obtained }: SubmissionFrontParts,
): Promise<SubmissionListener | null> {
  const { config, spool, clock, log, memory, metrics } = core;
  const { submissionPort: port, submissionsPort: tlsPort, submissionAllowPlaintext: allowPlaintext } = config;
  if (port === null && tlsPort === null) return null;
  const lines = withoutRedaction(log);
  const onReply = ({ requestId, accountId, keyId, code, problem, messageId, durationMs }: SubmissionReply): void => {
    if (problem !== null) metrics.refused(problem);
    lines.info({ requestId, status: code, keyId, messageId, problem }, "submission");
    recorder.record({
      id: requestId,
      atMs: clock.now(),
      accountId,
      keyId,
      ...REQUEST,
      status: code,
      code: problem,
      durationMs,
      messageId,
    });
  };
  return listenForSubmission({
    acceptMessage,
    registry: spool,
    backpressure,
    memory,
    addresses,
    clock,
    log,
    onReply,
    host: config.host,
    port,
    tlsPort,
    allowPlaintext,
    certsDir: config.certsDir,
    obtained,
    hostname: config.hostname,
    messages: new MessageMemory(clock),
    limits: { recipientsMax: config.recipientsMax, messageBytesMax: config.messageBytesMax },
  });
}
