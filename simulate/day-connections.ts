/** The connections of a policy to one receiver in the model of a day, and the attempts on them. */
import type { ModelReceiver, Refusal } from "./day-receivers.ts";
import type { Prng } from "./prng.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** Connection, greeting, EHLO and STARTTLS; and then one message. */
const OPEN_MS = [100, 600] as const;
const MESSAGE_MS = [100, 600] as const;

interface ModelConnection {
  openedMs: number;
  carried: number;
  /** Stops the wait for another message. */
  stopIdle: () => void;
}

export interface ConnectionPolicy {
  /** How long a connection waits for another message. */
  idleMs: number;
  /** Whether a connection takes another message at `nowMs`. */
  mayReuse: (connection: Readonly<Pick<ModelConnection, "openedMs" | "carried">>, nowMs: number) => boolean;
  /** Called when the receiver refuses another message on a connection, with the number of messages that it has accepted there. */
  onEnd: (carried: number) => void;
}

export class ModelConnections {
  readonly #time: VirtualTime;
  readonly #prng: Prng;
  readonly #receiver: ModelReceiver;
  readonly #policy: ConnectionPolicy;
  readonly #idle: ModelConnection[] = [];

  constructor(time: VirtualTime, prng: Prng, receiver: ModelReceiver, policy: ConnectionPolicy) {
    this.#time = time;
    this.#prng = prng;
    this.#receiver = receiver;
    this.#policy = policy;
  }

  /** Offers one message, on the connection that waits since the shortest time, or on a new one. `done` gets null if it is accepted. */
  attempt(done: (refusal: Refusal | null) => void): void {
    const connection = this.#idle.pop();
    if (connection === undefined) {
      this.#open(done);
      return;
    }
    connection.stopIdle();
    this.#offer(connection, done);
  }

  #open(done: (refusal: Refusal | null) => void): void {
    this.#time.after(this.#prng.logUniform(OPEN_MS), () => {
      const refusal = this.#receiver.connect(this.#time.nowMs);
      if (refusal === null) this.#offer({ openedMs: this.#time.nowMs, carried: 0, stopIdle: () => {} }, done);
      else done(refusal);
    });
  }

  #offer(connection: ModelConnection, done: (refusal: Refusal | null) => void): void {
    this.#time.after(this.#prng.logUniform(MESSAGE_MS), () => {
      const refusal = this.#receiver.offer(connection.carried, this.#time.nowMs);
      if (refusal === null) {
        connection.carried += 1;
        this.#keep(connection);
        done(null);
        return;
      }
      this.#receiver.disconnect();
      if (refusal.isOfConnection !== true) {
        done(refusal);
        return;
      }
      this.#policy.onEnd(connection.carried);
      this.#open(done);
    });
  }

  #keep(connection: ModelConnection): void {
    if (!this.#policy.mayReuse(connection, this.#time.nowMs)) {
      this.#receiver.disconnect();
      return;
    }
    this.#idle.push(connection);
    connection.stopIdle = this.#time.after(this.#policy.idleMs, () => {
      this.#idle.splice(this.#idle.indexOf(connection), 1);
      this.#receiver.disconnect();
    });
  }
}
