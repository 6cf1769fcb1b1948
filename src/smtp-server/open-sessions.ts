/**
 * Limits the number of connections of a listener. At the limit, the one that has been idle for longest is closed, so that idle clients
 * cannot keep others out; if there is none, the one whose message has been arriving for longest, because a client may begin a
 * message and be silent. Only when all messages are being stored is the new one closed.
 */
import type { SMTPServer } from "smtp-server";

/** smtp-server has no name for the type of its connections. */
export type SmtpConnection = SMTPServer["connections"] extends Set<infer Connection> ? Connection : never;

/** Closes a connection with 421, without waiting for its client to close its side as well. A TLS handshake has its own limit. */
export function closeWith(connection: SmtpConnection, text: string): void {
  connection.send(421, text, false);
  if (!connection._upgrading) connection._socket.destroySoon();
}

/** A connection under TLS takes up to 100 KB. */
const CONNECTIONS_MAX = 1000;

export class OpenSessions {
  readonly #max: number;
  /** Ordered by the last command. */
  readonly #idle = new Set<SmtpConnection>();
  /** Ordered by the beginning of the message. */
  readonly #busy = new Set<SmtpConnection>();

  constructor(max = CONNECTIONS_MAX) {
    this.#max = max;
  }

  /** Adds a connection, and closes another at the limit, or this one if the messages of all others are being stored. */
  add(connection: SmtpConnection): void {
    if (this.#idle.size + this.#busy.size >= this.#max) {
      const oldest = this.#oldest() ?? connection;
      this.remove(oldest);
      closeWith(oldest, "4.3.2 Too many connections: try again");
      if (oldest === connection) return;
    }
    this.#idle.add(connection);
  }

  #oldest(): SmtpConnection | undefined {
    const [idle] = this.#idle;
    if (idle !== undefined) return idle;
    for (const connection of this.#busy) if (isArriving(connection)) return connection;
    return undefined;
  }

  /** Moves a connection to the end, after a command of its client. */
  touch(connection: SmtpConnection): void {
    if (this.#idle.delete(connection)) this.#idle.add(connection);
  }

  /** While `work` receives and stores a message, the connection is not idle. */
  async whileBusy<T>(connection: SmtpConnection, work: () => Promise<T>): Promise<T> {
    const isKnown = this.#idle.delete(connection);
    if (isKnown) this.#busy.add(connection);
    try {
      return await work();
    } finally {
      if (this.#busy.delete(connection)) this.#idle.add(connection);
    }
  }

  remove(connection: SmtpConnection): void {
    this.#idle.delete(connection);
    this.#busy.delete(connection);
  }
}

/** Whether the final dot has not arrived yet. */
const isArriving = ({ _parser }: SmtpConnection): boolean => _parser !== false && _parser._dataMode;
