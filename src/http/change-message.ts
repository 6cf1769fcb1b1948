/**
 * POST /api/sending/messages/{id}/cancel and PATCH /api/sending/messages/{id}: a client cancels a message that it has sent, or sends it at
 * another time. The key needs the permissions to send and to read. Messages that it may not read get the same response as unknown ones.
 */
import type { Context } from "koa";
import { cancelMessage, sendMessageAt } from "../app/decide/sent-messages.ts";
import { messageView } from "../app/send/message-view.ts";
import type { SendRate } from "../app/send/send-rate.ts";
import type { Clock } from "../lib/clock.ts";
import { isLongerThan } from "../message/character-limit.ts";
import { echo, type FieldError } from "../message/field-errors.ts";
import { parseJson } from "../message/send-request/json-text.ts";
import { parseSendTime, SEND_AT_LENGTH_MAX } from "../message/send-time.ts";
import type { ApiKey } from "../spool/port/api-keys.ts";
import type { MessageReport } from "../spool/port/results.ts";
import type { Spool } from "../spool/port/spool.ts";
import type { Endpoint } from "./guarded-endpoints.ts";
import { ownReport } from "./lookup-message.ts";
import { readJsonBytes } from "./request-body.ts";
import { Problem } from "./response/problems.ts";
import { takeToken } from "./response/take-token.ts";

export interface ChangeParts {
  spool: Pick<Spool, "report" | "cancel" | "reschedule">;
  clock: Clock;
  rate: Pick<SendRate, "consume">;
}

/** Bytes of a body with one time. */
const CHANGE_BYTES_MAX = 4096;

/** Cancels the pending recipients of a message. Throws a Problem. */
export type Cancel = (id: string, key: ApiKey) => Promise<void>;

export function createCancel({ spool, clock, rate }: ChangeParts): Cancel {
  return async (id, key) => {
    await takeToken(rate, key);
    const report = await ownReport(spool, id, key);
    const result = await cancelMessage(spool, report, { key, nowMs: clock.now() });
    if (result === "nothing_pending") {
      throw new Problem("not_cancellable", "Nothing of this message is pending: each recipient has its result.");
    }
    if (result === "at_final_dot") {
      throw new Problem(
        "not_cancellable",
        "The message has just been handed over: the receiver's reply decides the result.",
      );
    }
  };
}

/** Sends a message at the time that the request's body has in `field`. Throws a Problem. */
export type ChangeTime = (ctx: Context, key: ApiKey, target: { id: string; field: string }) => Promise<void>;

/** Each change of a message's time is an entry in the history of each recipient, which is read with the message. */
const CHANGES_MAX = 100;

const changesOf = ({ recipients }: MessageReport): number =>
  Math.max(0, ...recipients.map(({ events, eventsOmitted = 0 }) => events.length + eventsOmitted));

export function createChangeTime({ spool, clock, rate }: ChangeParts): ChangeTime {
  return async (ctx, key, { id, field }) => {
    const body = await readJsonBytes(ctx, { bytesMax: CHANGE_BYTES_MAX, clock });
    const nowMs = clock.now();
    const sendAtMs = sendTimeIn(body, field, nowMs);
    await takeToken(rate, key);
    const report = await ownReport(spool, id, key);
    if (changesOf(report) >= CHANGES_MAX)
      throw new Problem("not_scheduled", `The time of this message was changed ${CHANGES_MAX} times already.`);
    if (await sendMessageAt(spool, report, { key, nowMs, sendAtMs })) return;
    throw new Problem(
      "not_scheduled",
      "This message does not wait for a time: it was sent without one, its time has come, or it was cancelled.",
    );
  };
}

/** Creates the endpoints of Postrider's API. Both respond like the lookup. */
export function createChangeEndpoints(parts: ChangeParts): { cancel: Endpoint; changeTime: Endpoint } {
  const cancel = createCancel(parts);
  const changeTime = createChangeTime(parts);
  const respond = async (ctx: Context, key: ApiKey, id: string): Promise<void> => {
    ctx.body = messageView(await ownReport(parts.spool, id, key));
  };
  return {
    async cancel(ctx, key) {
      const id: string = ctx.params.id ?? "";
      await cancel(id, key);
      await respond(ctx, key, id);
    },
    async changeTime(ctx, key) {
      const id: string = ctx.params.id ?? "";
      await changeTime(ctx, key, { id, field: "send_at" });
      await respond(ctx, key, id);
    },
  };
}

/** Returns the time that is the only member of a body. Throws a Problem. */
function sendTimeIn(bytes: Buffer, field: string, nowMs: number): number {
  const parsed = parseJson(bytes);
  if (parsed.type === "invalid" && parsed.code === "invalid_json") throw new Problem(parsed.code, parsed.detail);
  if (parsed.type === "invalid") throw invalidBody(parsed.errors);
  const { value } = parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalidBody([{ field: "body", detail: "The body must be a JSON object." }]);
  const { [field]: text, ...others } = value as Record<string, unknown>;
  const time = typeof text === "string" && !isLongerThan(text, SEND_AT_LENGTH_MAX) ? parseSendTime(text, nowMs) : null;
  const unknown = Object.keys(others).map((name) => ({ field: echo(name), detail: "This field is unknown." }));
  const own = text === undefined ? "This field is required." : "This must be a time with its offset (RFC 3339).";
  if (time === null) throw invalidBody([{ field, detail: own }, ...unknown]);
  if (time.type === "invalid") throw invalidBody([{ field, detail: time.detail }, ...unknown]);
  if (unknown.length > 0) throw invalidBody(unknown);
  return time.atMs;
}

const invalidBody = (errors: FieldError[]): Problem =>
  new Problem("invalid_request", errors.map(({ field, detail }) => `${field}: ${detail}`).join(" "), { errors });
