/**
 * One mail transaction on an open session: envelope, content, final dot (RFC 5321 §3.3). Decides what is sent and when, above all
 * that the final dot leaves only when the caller's mark is durable and still holds. Reports a result for each recipient; delivery/verdict.ts
 * decides whether that is a delivery, a failure or a reason to retry.
 */
import { isAscii } from "node:buffer";
import type { Capabilities } from "./capabilities.ts";
import { type CommandResult, type ExpectedReply, textOf } from "./connection.ts";
import { assertCrlfOnly, type ContentParts, closingDot, endsLine, headerOf } from "./content.ts";
import { sendContent } from "./content-transfer.ts";
import { sendEnvelope } from "./envelope.ts";
import { type RecipientResult, RecipientResults, resultOf } from "./recipient-results.ts";
import type { Session } from "./session.ts";
import { mailParameters, type NotificationRequest, rcptParameters } from "./status-notification.ts";
import type { Timeouts } from "./timeouts.ts";

export interface TransactionOptions {
  /** The envelope sender, an addr-spec; "" for the null reverse-path. */
  from: string;
  /** Addr-specs, at least one. */
  recipients: string[];
  /**
   * The whole message. Its body must have CRLF line ends only, which is not checked here (message/body-hash.ts checks it).
   */
  content: ContentParts;
  /** Of the content. */
  sizeBytes: number;
  /** Complete header lines sent before the content, such as the signature; may be empty. */
  prefix: Buffer;
  smtpUtf8: boolean;
  /** Whether the body has octets above 127. */
  eightBit: boolean;
  /** Asks for delivery status notifications at a host that offers them; absent for none. */
  notifications?: NotificationRequest;
  /**
   * Runs while the last part of the content is sent, with the indices of the accepted recipients. The dot waits for it; if it
   * rejects, the connection is closed without the dot.
   */
  beforeDot: (accepted: number[]) => Promise<void>;
  /** Called at the moment when the dot would leave. If it returns a reason, the connection is closed without the dot. */
  refuseDot?: () => string | null;
  /** Runs at the moment when the dot leaves: from then on only the peer knows whether it accepted the message. */
  onDot?: () => void;
  timeouts?: Partial<Timeouts>;
}

export type TransactionResult =
  /**
   * `recipients` by index. `dotSent`: the peer may have accepted the message, whatever the results say. `contentError`: a part of
   * the content could not be read, so the recipients that the peer had accepted are `held_back`, and `beforeDot` did not run.
   */
  | { type: "done"; recipients: RecipientResult[]; dotSent: boolean; contentError: Error | null }
  /** Nothing was sent and the session is unchanged: the peer accepts `limit` bytes at most, or lacks an extension. */
  | { type: "too_large"; limit: number }
  | { type: "needs_8bitmime" }
  | { type: "needs_smtputf8" };

type DotOptions = Required<Pick<TransactionOptions, "beforeDot" | "refuseDot" | "onDot">>;

interface OutgoingMessage extends DotOptions, Pick<TransactionOptions, "content" | "prefix"> {
  limits: Timeouts;
  /** Removes the time limit that applies until the dot. */
  cancelDeadline: () => void;
}

type Handover = Pick<Extract<TransactionResult, { type: "done" }>, "dotSent" | "contentError">;

/**
 * Sends one message to the given recipients. Throws when header or prefix break their contract or there is no recipient; never
 * rejects because of the peer, a part that cannot be read, or `beforeDot`. Settles only after `beforeDot` has, if it was called.
 */
export async function transact(session: Session, options: TransactionOptions): Promise<TransactionResult> {
  assertSendable(options);
  const mail = mailCommand(options, session.capabilities);
  if (typeof mail !== "string") return mail;

  const { recipients, content, prefix, beforeDot, refuseDot = () => null, onDot = () => {}, timeouts } = options;
  const limits = timeouts === undefined ? session.timeouts : { ...session.timeouts, ...timeouts };
  const outgoing: OutgoingMessage = {
    content,
    prefix,
    beforeDot,
    refuseDot,
    onDot,
    limits,
    cancelDeadline: session.connection.limitDuration(limits.handover),
  };
  const results = new RecipientResults(recipients.length);
  session.transactions += 1;
  const envelope = { mail, rcpts: rcptCommands(options, session.capabilities), timeouts: limits };
  const contentAwaited = await sendEnvelope(session, envelope, results);
  let handover: Handover = { dotSent: false, contentError: null };
  if (!contentAwaited) await reset(session, limits, results);
  else if (results.accepted.length === 0) await sendEmptyMessage(session, limits);
  else handover = await sendMessage(session, outgoing, results);
  outgoing.cancelDeadline();
  return { type: "done", recipients: results.finish(), ...handover };
}

function assertSendable({ recipients, content, prefix }: TransactionOptions): void {
  if (recipients.length === 0) throw new Error("a transaction without recipients");
  assertCrlfOnly(prefix);
  assertCrlfOnly(headerOf(content));
  if (!endsLine(prefix)) throw new Error("the prefix does not end its last line");
}

/** MAIL with the parameters that the message needs, or the extension that the peer lacks for it (RFC 1870, 6152, 6531). */
function mailCommand(
  options: TransactionOptions,
  offered: Readonly<Capabilities>,
): string | Exclude<TransactionResult, { type: "done" }> {
  const { from, content, prefix, smtpUtf8, notifications } = options;
  const eightBit = options.eightBit || !isAscii(headerOf(content)) || !isAscii(prefix);
  const sizeBytes = prefix.length + options.sizeBytes + (endsComplete(content) ? 0 : 2);
  if (smtpUtf8 && !offered.smtpUtf8) return { type: "needs_smtputf8" };
  if (eightBit && !offered.eightBitMime) return { type: "needs_8bitmime" };
  if (offered.size !== null && offered.size > 0 && sizeBytes > offered.size) {
    return { type: "too_large", limit: offered.size };
  }
  const parameters = [
    ...(offered.size === null ? [] : [`SIZE=${sizeBytes}`]),
    ...(eightBit ? ["BODY=8BITMIME"] : []),
    ...(smtpUtf8 ? ["SMTPUTF8"] : []),
    ...(notifications !== undefined && offered.dsn ? mailParameters(notifications) : []),
  ];
  return [`MAIL FROM:<${from}>`, ...parameters].join(" ");
}

function rcptCommands(
  { recipients, notifications }: TransactionOptions,
  { dsn }: Pick<Readonly<Capabilities>, "dsn">,
): string[] {
  const parametersOf = notifications !== undefined && dsn ? rcptParameters : () => [];
  return recipients.map((recipient) => [`RCPT TO:<${recipient}>`, ...parametersOf(recipient)].join(" "));
}

/** Whether nothing is added to the last line. Only composed contents have several parts, and they always end their last line. */
function endsComplete({ first, laterParts }: ContentParts): boolean {
  return laterParts > 0 || endsLine(first);
}

/**
 * Ends a transaction without content, so that the session can have another. A 354 here is the reply to DATA: the peer has replied
 * to something twice and is one reply behind, so its refusals may belong to other commands.
 */
async function reset(session: Session, limits: Timeouts, results: RecipientResults): Promise<void> {
  const { connection } = session;
  const result = await connection.command("RSET", limits.quit);
  if (result.type !== "reply" || result.reply.code >= 300) session.destroy();
  const isIntermediate = result.type === "reply" && result.reply.code >= 300 && result.reply.code < 400;
  if (!isIntermediate && !connection.hadUnsolicitedReply) return;
  results.distrust(`at RSET: ${textOf(result)}; the replies before it may have been to other commands`);
}

/** The peer waits for a message although it accepted no recipient: sends a lone dot, whose reply is ignored (RFC 2920 §3.1). */
async function sendEmptyMessage(session: Session, limits: Timeouts): Promise<void> {
  const reply = session.connection.expect();
  session.connection.send(closingDot(true));
  reply.arm(limits.quit);
  await reply.result;
  // Whether that was the dot's reply or an early one is unknown, so the next transaction could get the other.
  session.destroy();
}

/** Sends the content, then, with the permission of `beforeDot`, the last block with the dot, and awaits its reply. */
async function sendMessage(session: Session, outgoing: OutgoingMessage, results: RecipientResults): Promise<Handover> {
  const { connection } = session;
  const { prefix, content, limits } = outgoing;
  const reply = connection.expect();
  let dotPermission: Promise<string | null> = Promise.resolve(null);
  const onAllRead = (): void => {
    dotPermission = runBeforeDot(session, outgoing, { results, reply });
  };
  const transfer = { connection, reply, prefix, content, blockTimeoutMs: limits.block, onAllRead };
  const { lastBlock, contentError } = await sendContent(transfer).then(
    (block) => ({ lastBlock: block, contentError: null }),
    (error) => ({ lastBlock: Buffer.alloc(0), contentError: errorOf(error) }),
  );
  const refusal = await dotPermission;
  const heldBack = contentError?.message ?? refusal ?? (reply.settled === null ? outgoing.refuseDot() : null);
  if (heldBack !== null && reply.settled?.type !== "reply") {
    session.destroy();
    results.decideRest({ type: "held_back", error: heldBack });
    return { dotSent: false, contentError };
  }
  if (reply.settled !== null) {
    results.decideRest(earlyResult(session, reply.settled));
    return { dotSent: false, contentError: null };
  }
  outgoing.cancelDeadline();
  outgoing.onDot();
  connection.send(lastBlock);
  reply.arm(limits.dot);
  results.decideRest(finalResult(session, await reply.result));
  return { dotSent: true, contentError: null };
}

/** Why the dot must not be sent, or null. Closes the connection at once in that case. */
async function runBeforeDot(
  session: Session,
  outgoing: OutgoingMessage,
  { results, reply }: { results: RecipientResults; reply: ExpectedReply },
): Promise<string | null> {
  if (reply.settled !== null) return null;
  try {
    await outgoing.beforeDot(results.accepted);
    return null;
  } catch (error) {
    session.destroy();
    return errorOf(error).message;
  }
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** A reply before the dot can only be a refusal, and leaves the dialogue out of step. */
function earlyResult(session: Session, result: CommandResult): RecipientResult {
  if (result.type === "reply" && result.reply.code < 400) return unexpected(session, "content", result);
  session.destroy();
  return resultOf(result, "content");
}

function finalResult(session: Session, result: CommandResult): RecipientResult {
  const intermediate = result.type === "reply" && result.reply.code >= 300 && result.reply.code < 400;
  return intermediate ? unexpected(session, "final_dot", result) : resultOf(result, "final_dot");
}

function unexpected(
  session: Session,
  stage: "content" | "final_dot",
  { reply }: Extract<CommandResult, { type: "reply" }>,
): RecipientResult {
  return { type: "protocol_error", stage, error: session.connection.abortOnReply(reply) };
}
