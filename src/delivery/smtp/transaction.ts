/**
 * One mail transaction on an open session: envelope, content, final dot (RFC 5321 §3.3). Decides what is sent and when, above all
 * that the final dot leaves only when the caller's mark is durable. Reports a result for each recipient; delivery/verdict.ts
 * decides whether that is a delivery, a failure or a reason to retry.
 */
import { isAscii } from "node:buffer";
import { setImmediate } from "node:timers/promises";
import type { Capabilities } from "./capabilities.ts";
import { type CommandResult, type ExpectedReply, textOf } from "./connection.ts";
import { assertCrlfOnly, closingDot, endsLine, wireBlocks } from "./content.ts";
import { sendEnvelope } from "./envelope.ts";
import { type RecipientResult, RecipientResults, resultOf } from "./recipient-results.ts";
import type { Session } from "./session.ts";
import type { Timeouts } from "./timeouts.ts";

export interface TransactionOptions {
  /** The envelope sender, an addr-spec; "" for the null reverse-path. */
  from: string;
  /** Addr-specs, at least one. */
  recipients: string[];
  /** The whole message with CRLF line ends only, not dot-stuffed. */
  content: Buffer;
  /** Complete header lines sent before the content, such as the signature; may be empty. */
  prefix: Buffer;
  smtpUtf8: boolean;
  /**
   * Runs while the content is sent, with the indices of the accepted recipients. The dot waits for it; if it rejects, the connection
   * is closed without the dot.
   */
  beforeDot: (accepted: number[]) => Promise<void>;
  /** Runs at the moment when the dot leaves: from then on only the peer knows whether it accepted the message. */
  onDot?: () => void;
  timeouts?: Partial<Timeouts>;
}

export type TransactionResult =
  /** `recipients` by index. `dotSent`: the peer may have accepted the message, whatever the results say. */
  | { type: "done"; recipients: RecipientResult[]; dotSent: boolean }
  /** Nothing was sent and the session is unchanged: the peer accepts `limit` bytes at most, or lacks an extension. */
  | { type: "too_large"; limit: number }
  | { type: "needs_8bitmime" }
  | { type: "needs_smtputf8" };

interface OutgoingMessage extends Required<Pick<TransactionOptions, "content" | "prefix" | "beforeDot" | "onDot">> {
  limits: Timeouts;
  /** Removes the time limit that applies until the dot. */
  cancelDeadline: () => void;
}

/**
 * Sends one message to the given recipients. Throws when content or prefix break their contract or there is no recipient; never
 * rejects because of the peer or `beforeDot`. Settles only after `beforeDot` has, if it was called.
 */
export async function transact(session: Session, options: TransactionOptions): Promise<TransactionResult> {
  assertSendable(options);
  const mail = mailCommand(options, session.capabilities);
  if (typeof mail !== "string") return mail;

  const { recipients, content, prefix, beforeDot, onDot = () => {}, timeouts } = options;
  const limits = timeouts === undefined ? session.timeouts : { ...session.timeouts, ...timeouts };
  const outgoing: OutgoingMessage = {
    content,
    prefix,
    beforeDot,
    onDot,
    limits,
    cancelDeadline: session.connection.limitDuration(limits.handover),
  };
  const results = new RecipientResults(recipients.length);
  session.transactions += 1;
  const envelope = { mail, recipients, timeouts: limits };
  const contentAwaited = await sendEnvelope(session, envelope, results);
  let dotSent = false;
  if (!contentAwaited) await reset(session, limits, results);
  else if (results.accepted.length === 0) await sendEmptyMessage(session, limits);
  else dotSent = await sendMessage(session, outgoing, results);
  outgoing.cancelDeadline();
  return { type: "done", recipients: results.finish(), dotSent };
}

function assertSendable({ recipients, content, prefix }: TransactionOptions): void {
  if (recipients.length === 0) throw new Error("a transaction without recipients");
  assertCrlfOnly(prefix);
  assertCrlfOnly(content);
  if (!endsLine(prefix)) throw new Error("the prefix does not end its last line");
}

/** MAIL with the parameters that the message needs, or the extension that the peer lacks for it (RFC 1870, 6152, 6531). */
function mailCommand(
  options: TransactionOptions,
  offered: Readonly<Capabilities>,
): string | Exclude<TransactionResult, { type: "done" }> {
  const { from, content, prefix, smtpUtf8 } = options;
  const eightBit = !isAscii(content) || !isAscii(prefix);
  const sizeBytes = prefix.length + content.length + (endsLine(content) ? 0 : 2);
  if (smtpUtf8 && !offered.smtpUtf8) return { type: "needs_smtputf8" };
  if (eightBit && !offered.eightBitMime) return { type: "needs_8bitmime" };
  if (offered.size !== null && offered.size > 0 && sizeBytes > offered.size) {
    return { type: "too_large", limit: offered.size };
  }
  const parameters = [
    ...(offered.size === null ? [] : [`SIZE=${sizeBytes}`]),
    ...(eightBit ? ["BODY=8BITMIME"] : []),
    ...(smtpUtf8 ? ["SMTPUTF8"] : []),
  ];
  return [`MAIL FROM:<${from}>`, ...parameters].join(" ");
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

/** Sends the content while `beforeDot` runs, then the dot, and awaits its reply. Returns whether the dot was sent. */
async function sendMessage(session: Session, outgoing: OutgoingMessage, results: RecipientResults): Promise<boolean> {
  const { connection } = session;
  const reply = connection.expect();
  const dotPermission = runBeforeDot(session, outgoing, { results, reply });
  const lastBlock = await sendBlocks(session, outgoing, reply);
  const heldBack = await dotPermission;
  if (heldBack !== null && reply.settled?.type !== "reply") {
    results.decideRest({ type: "held_back", error: heldBack });
    return false;
  }
  if (reply.settled !== null) {
    results.decideRest(earlyResult(session, reply.settled));
    return false;
  }
  outgoing.cancelDeadline();
  outgoing.onDot();
  connection.send(lastBlock);
  reply.arm(outgoing.limits.dot);
  results.decideRest(finalResult(session, await reply.result));
  return true;
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
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Sends all blocks but the last and returns the last: it contains the dot, so most messages need only one write and one packet
 * train. Stops as soon as `reply` is settled, by an early reply or because the connection ended.
 */
async function sendBlocks(session: Session, outgoing: OutgoingMessage, reply: ExpectedReply): Promise<Buffer> {
  let last: Buffer = Buffer.alloc(0);
  for (const block of wireBlocks([outgoing.prefix, outgoing.content])) {
    if (reply.settled !== null) break;
    if (last.length > 0) {
      await Promise.race([session.connection.write(last, outgoing.limits.block), reply.result]);
      // A write that the kernel accepts at once does not let the event loop read, so an early reply would be missed.
      await setImmediate();
    }
    last = block;
  }
  return last;
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
