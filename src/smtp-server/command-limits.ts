/**
 * Limits the length of a command, and the commands of a connection that lead to no message, as Postfix does with smtpd_hard_error_limit
 * and smtpd_junk_command_limit. Each accepted message begins the counts anew, so clients that reset between messages meet no limit.
 */
import type { IterationQueue } from "../lib/iteration-queue.ts";
import { DOMAIN_OCTETS_MAX } from "../message/domain-encoding.ts";
import { closeWith, type SmtpConnection } from "./open-sessions.ts";

/** Replies that reject a command or a message. Recipients beyond the limit of a message are counted apart. */
export const REJECTIONS_MAX = 50;
/** Commands that do nothing for a message: RSET, NOOP, EHLO and HELO. */
export const IDLE_COMMANDS_MAX = 100;
/** Recipients beyond those that a message may have, which some clients send in spite of the first 452, and repeated ones. */
export const RECIPIENTS_OVERSHOOT_MAX = 1000;

/**
 * Octets of a command without CRLF. RFC 5321 §4.5.3.1.4 has 512 for one without parameters; those of SIZE, BODY, SMTPUTF8, DSN and AUTH
 * need another thousand.
 */
export const COMMAND_OCTETS_MAX = 2048;
/** Octets of AUTH, and of the lines that answer its challenges (RFC 4954 §4). Beyond it, smtp-server closes the connection with 421. */
export const AUTH_OCTETS_MAX = 12_288;

const IDLE_COMMANDS: ReadonlySet<string> = new Set(["RSET", "NOOP", "EHLO", "HELO"]);

export interface CommandLimits {
  /** Of a message. */
  recipientsMax: number;
  /** Of all connections, by client address. smtp-server runs all pipelined commands of a client in one iteration of the event loop. */
  turns: Pick<IterationQueue, "turn">;
}

/** Closes the connection with 421 after too many such commands. */
export function limitCommands(connection: SmtpConnection, { recipientsMax, turns }: CommandLimits): void {
  const none = { rejections: 0, idle: 0, recipients: 0 };
  let counts = { ...none };
  let current = "";
  const send = connection.send.bind(connection);
  connection.send = (code, data, context) => {
    if (context === "DATA_OK" && code === 250) counts = { ...none };
    else if (code >= 400 && !(current === "RCPT" && code === 452)) counts.rejections += 1;
    send(code, data, context);
  };
  const onCommand = connection._onCommand.bind(connection);
  const count: typeof onCommand = (command, callback) => {
    current = command.toString("latin1", 0, "RSET".length).toUpperCase();
    if (IDLE_COMMANDS.has(current)) counts.idle += 1;
    if (current === "RCPT") counts.recipients += 1;
    const { rejections, idle, recipients } = counts;
    const isOver = recipients > recipientsMax + RECIPIENTS_OVERSHOOT_MAX;
    if (rejections >= REJECTIONS_MAX || idle > IDLE_COMMANDS_MAX || isOver) {
      // Without its callback, no further command of the connection is read.
      closeWith(connection, "4.7.0 Too many commands without an accepted message: connect again");
      return;
    }
    const fault = hasTurn(connection) && current !== "AUTH" ? lengthFault(command) : null;
    if (fault === null) return onCommand(command, callback);
    connection.send(...fault, false);
    callback?.();
  };
  connection._onCommand = (command, callback) => {
    void turns.turn(connection.remoteAddress).then(() => count(command, callback));
  };
}

/** Whether a command is expected: neither the answer to a challenge of AUTH, nor what arrives before the greeting or a TLS handshake. */
const hasTurn = ({ _nextHandler, _ready, _upgrading }: SmtpConnection): boolean =>
  _nextHandler === false && _ready && !_upgrading;

/** The reply to a command that is too long; null to others. smtp-server has the domain of a path decoded, however long it is. */
function lengthFault(command: Buffer): [code: number, text: string] | null {
  if (command.length > COMMAND_OCTETS_MAX) return [500, `5.5.2 A command has at most ${COMMAND_OCTETS_MAX} octets`];
  const pathEnd = command.indexOf(">");
  const at = pathEnd === -1 ? -1 : command.lastIndexOf("@", pathEnd);
  if (at === -1 || pathEnd - at - 1 <= DOMAIN_OCTETS_MAX) return null;
  return [501, `5.5.4 A domain has at most ${DOMAIN_OCTETS_MAX} octets`];
}
