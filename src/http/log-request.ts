/**
 * The middleware that logs each request when its response is ready, and adds it to the request log. Responses that bypass Koa
 * are logged where they are sent (load-shedder.ts, malformed-request.ts).
 */
import type { Middleware } from "koa";
import type { RequestRecorder } from "../app/send/request-recorder.ts";
import type { Clock } from "../lib/clock.ts";
import { type Logger, withoutRedaction } from "../lib/log.ts";
import { isServicePath, loggedPath } from "./response/logged-path.ts";
import type { Problem } from "./response/problems.ts";
import { requestFault } from "./response/request-fault.ts";

export interface LogParts {
  recorder: Pick<RequestRecorder, "record">;
  clock: Clock;
  log: Logger;
}

/** Reads `ctx.state`: requestId, and key, messageId and problem where there are any. */
export function logRequest({ recorder, clock, log }: LogParts): Middleware {
  const lines = withoutRedaction(log);
  return async (ctx, next) => {
    const startMs = performance.now();
    await next();
    const spentMs = performance.now() - startMs;
    const { method, status } = ctx;
    const { requestId, key, messageId } = ctx.state;
    const problem: Problem | undefined = ctx.state.problem;
    const path = loggedPath(ctx.path);
    const durationMs = Math.round(spentMs * 10) / 10;
    lines.info(
      { requestId, method, path, status, durationMs, keyId: key?.id, messageId, problem: problem?.code },
      "request",
    );
    if (isServicePath(path)) return;
    const request = {
      id: requestId,
      atMs: clock.now(),
      accountId: key?.accountId ?? null,
      keyId: key?.id ?? null,
      method,
      path,
      status,
      code: problem?.code ?? null,
      durationMs: Math.round(spentMs),
      messageId: messageId ?? null,
    };
    recorder.record(request, problem && (() => requestFault(problem)));
  };
}
