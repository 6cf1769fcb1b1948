/**
 * This process as a node: registers it, renews its lease by heartbeats, and ends other nodes that have stopped renewing theirs.
 * What follows for mail, leases and duties is decided by the listener.
 *
 * A node that was suspended or cut off finds with its next heartbeat that others have ended it. It has lost all that it leased,
 * and registers again under a new number. Numbers are random and not counted: after a failover or a restore of the database, a
 * counter could repeat a number that a running process has.
 */
import { randomInt } from "node:crypto";
import type { ClientConfig } from "pg";
import type { Clock } from "../../../../lib/clock.ts";
import { errorText } from "../../../../lib/error-text.ts";
import type { Logger } from "../../../../lib/log.ts";
import { SCHEMA_VERSION } from "../../../schema/postgres.ts";
import { Contact } from "../connection/database-contact.ts";
import { OwnConnection } from "../connection/own-connection.ts";
import { lockSchema } from "../connection/schema-version.ts";
import { checkServer } from "../connection/server-checks.ts";
import { type Session, statement } from "../connection/statement.ts";
import { SLOTS } from "../mail/message-number.ts";
import {
  endExpiredNodes,
  endNode,
  type Heartbeat,
  hasNamesake,
  insertNode,
  LEASE_MS,
  type NodeActivity,
  type NodeIdentity,
  NodeRefused,
  renewNode,
} from "./nodes-table.ts";

const HEARTBEAT_EVERY_MS = 1500;

const RETRY_AFTER_MS = 300;

/** This process stops using its lease so long before the others may end it. */
const MARGIN_MS = 1000;

/** For a free slot: the leases of nodes that have died expire meanwhile. */
const START_MAX_MS = 3 * LEASE_MS;

const NUMBER_MAX = 2 ** 47;

/** No node has this number. */
const UNREGISTERED = 0;

/** A heartbeat that a crash of the server loses is replaced before others may end this node, so it does not wait for the disk. */
const doNotWait = statement("SELECT set_config('synchronous_commit', 'off', false)");

/** A registration that a crash loses would fence a healthy node. */
const waitAgain = statement("SET LOCAL synchronous_commit TO DEFAULT");

export interface Registration {
  /** The owner in leases. No other process has had it, or will. */
  number: number;
  /** For MessageNumbers. No other registered node has it. */
  slot: number;
}

export interface NodeListener {
  /** The node is registered: at start, and again after `onFenced`. */
  onRegistered(registration: Registration): void;
  /** The registration is over, and everything leased under its number is lost. */
  onFenced(registration: Registration): void;
  /** An operator drains the node. */
  onDraining(): void;
  /** An operator has ended that. */
  onResumed(): void;
  /** After a heartbeat, as long as there are nodes that have ended: their work may have to be recovered. */
  onEndedNodes(): void;
  /** Runs statements that share the heartbeats' connection. The next heartbeat waits for it. A rejection is logged. */
  afterHeartbeat(session: Session, node: { number: number; isDraining: boolean }): Promise<void>;
  /** What the last heartbeat has seen of the server. */
  onHeartbeat(heartbeat: Heartbeat): void;
  /** A heartbeat has failed. */
  onFailedHeartbeat(error: unknown): void;
  /** Other nodes have migrated the database, or exchanged the master key. The process must end. */
  onRefused(error: NodeRefused): void;
}

export interface NodeOptions {
  config: ClientConfig;
  clock: Clock;
  log: Logger;
  identity: NodeIdentity;
  /** Called with each new connection before its first use. If it rejects, the connection is closed. */
  checkConnection?: (session: Session) => Promise<void>;
  /** Runs in the transaction of each registration. Rejects with NodeRefused to end the node. */
  checkRegistration?: (session: Session) => Promise<void>;
  /** What the next heartbeat reports. */
  activity: () => NodeActivity;
  listener: NodeListener;
}

/** A registration whose lease was renewed by a heartbeat sent at these times, by the monotonic clock and by the wall clock. */
interface Lease extends Registration {
  sentMs: number;
  sentAtMs: number;
}

export class Node {
  readonly #options: NodeOptions;
  readonly #connection: OwnConnection;
  readonly #contact = new Contact();
  #lease: Lease | null = null;
  #isDraining = false;
  #hasOthers = true;
  #isStopped = false;
  #cancelTimer: () => void = () => {};
  #underWay: Promise<void> = Promise.resolve();
  #hasFailed = false;
  /** When the last heartbeat was sent that was confirmed, by the monotonic clock. */
  #confirmedMs: number;

  constructor(options: NodeOptions) {
    this.#options = options;
    this.#confirmedMs = options.clock.monotonicMs();
    this.#connection = new OwnConnection({
      ...options,
      async prepare(session) {
        await checkServer(session);
        await options.checkConnection?.(session);
        await session.run(doNotWait);
      },
      onLost: () => this.#contact.lost(),
    });
  }

  /**
   * Registers the node and begins its heartbeats. Rejects with one line if all slots are in use by running nodes, with
   * NodeRefused, or with SpoolUnavailable.
   */
  async start(): Promise<Registration> {
    const { clock } = this.#options;
    const untilMs = clock.monotonicMs() + START_MAX_MS;
    for (;;) {
      const fault = await this.#tryTurn();
      if (this.#lease !== null) break;
      if (fault instanceof NodeRefused || this.#isStopped || clock.monotonicMs() >= untilMs) {
        await this.stop();
        throw (
          fault ?? new Error(`${SLOTS} nodes are registered in the database, which is the maximum: stop one of them`)
        );
      }
      await new Promise<void>((resolve) => clock.after(RETRY_AFTER_MS, resolve));
    }
    this.#continueAfter(HEARTBEAT_EVERY_MS);
    return this.#lease;
  }

  /** Null while the node is not registered: before `start`, after `stop`, and after it was fenced. */
  get registration(): Registration | null {
    return this.#lease;
  }

  /** Whether other nodes were registered at the last heartbeat; true before the first one. */
  get hasOthers(): boolean {
    return this.#hasOthers;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** How long ago the last heartbeat was sent that the database has confirmed; since the start if there was none. */
  get heartbeatAgeMs(): number {
    return this.#options.clock.monotonicMs() - this.#confirmedMs;
  }

  /**
   * Whether the node still has this number and its lease holds, without asking the database. The wall clock counts too, because
   * the monotonic clock may stop while the host is suspended.
   */
  leaseIsCurrent(number: number): boolean {
    const lease = this.#lease;
    if (lease === null || lease.number !== number) return false;
    const { clock } = this.#options;
    const ageMs = Math.max(clock.monotonicMs() - lease.sentMs, clock.now() - lease.sentAtMs);
    return ageMs < LEASE_MS - MARGIN_MS;
  }

  /** Ends the registration at once. Statements under its number must have ended. Never rejects: else the lease expires. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    await this.#underWay;
    const lease = this.#lease;
    this.#lease = null;
    if (lease !== null) {
      await endNode(this.#connection, lease.number).catch((error) => {
        this.#options.log.warn({ error: errorText(error) }, "node not ended: its lease expires");
      });
    }
    await this.#connection.close();
  }

  #continueAfter(delayMs: number): void {
    if (this.#isStopped) return;
    this.#cancelTimer = this.#options.clock.after(delayMs, () => {
      this.#underWay = this.#continue();
    });
  }

  async #continue(): Promise<void> {
    const { clock, listener } = this.#options;
    const startedMs = clock.monotonicMs();
    const fault = await this.#tryTurn();
    if (fault instanceof NodeRefused) {
      this.#isStopped = true;
      listener.onRefused(fault);
    } else this.#logResult(fault);
    const elapsedMs = clock.monotonicMs() - startedMs;
    const isWell = fault === null && this.#lease !== null;
    this.#continueAfter(isWell ? Math.max(HEARTBEAT_EVERY_MS - elapsedMs, 0) : RETRY_AFTER_MS);
  }

  /** An outage is one warning. */
  #logResult(fault: unknown): void {
    const { log } = this.#options;
    if (fault !== null) log[this.#hasFailed ? "debug" : "warn"]({ error: errorText(fault) }, "heartbeat failed");
    else if (this.#hasFailed) log.info("heartbeats resumed");
    this.#hasFailed = fault !== null;
  }

  /** Returns what failed; null if nothing did. */
  async #tryTurn(): Promise<unknown> {
    try {
      await this.#turn();
      return null;
    } catch (error) {
      this.#contact.lost();
      this.#options.listener.onFailedHeartbeat(error);
      return error;
    }
  }

  async #turn(): Promise<void> {
    const { log, listener } = this.#options;
    const heartbeat = await this.#renew();
    this.#hasOthers = heartbeat.hasOthers;
    listener.onHeartbeat(heartbeat);
    if (heartbeat.hasExpired && this.#contact.outlastsLeases) await this.#endExpired(heartbeat);
    if (this.#lease === null) await this.#register();
    const lease = this.#lease;
    if (lease === null) return;
    if (heartbeat.hasEnded) listener.onEndedNodes();
    await listener
      .afterHeartbeat(this.#connection, { number: lease.number, isDraining: this.#isDraining })
      .catch((error) => log.warn({ error: errorText(error) }, "statements after a heartbeat failed"));
  }

  /** Renews the lease if there is one. Also asks for the state of the others. */
  async #renew(): Promise<Heartbeat> {
    const { clock, activity } = this.#options;
    const lease = this.#lease;
    const [sentMs, sentAtMs] = [clock.monotonicMs(), clock.now()];
    const heartbeat = await renewNode(this.#connection, lease?.number ?? UNREGISTERED, activity());
    this.#contact.heard({ sentMs, receivedMs: clock.monotonicMs(), databaseMs: heartbeat.nowMs });
    if (lease === null) return heartbeat;
    if (heartbeat.isDraining === null) this.#fenced(lease);
    else {
      this.#lease = { ...lease, sentMs, sentAtMs };
      this.#confirmedMs = sentMs;
      this.#setDraining(heartbeat.isDraining);
    }
    return heartbeat;
  }

  #setDraining(isDraining: boolean): void {
    if (isDraining === this.#isDraining) return;
    this.#isDraining = isDraining;
    const { log, listener } = this.#options;
    log.info(isDraining ? "draining" : "resumed");
    if (isDraining) listener.onDraining();
    else listener.onResumed();
  }

  #fenced(lease: Lease): void {
    const { log, listener } = this.#options;
    this.#lease = null;
    log.warn({ number: lease.number }, "node was ended by another one: its lease had expired");
    listener.onFenced(lease);
  }

  /** Leases are compared with the time of the heartbeat: the database's clock may have leapt since. */
  async #endExpired(heartbeat: Heartbeat): Promise<void> {
    const number = this.#lease?.number ?? UNREGISTERED;
    const ended = await endExpiredNodes(this.#connection, { number, beforeMs: heartbeat.nowMs });
    for (const node of ended)
      this.#options.log.warn({ number: node.number, name: node.name }, "node ended: its lease expired");
    if (ended.length > 0) heartbeat.hasEnded = true;
  }

  /** Leaves the node unregistered if there is no free slot. */
  async #register(): Promise<void> {
    const { clock, log, identity, checkRegistration, listener } = this.#options;
    const number = randomInt(UNREGISTERED + 1, NUMBER_MAX);
    const [sentMs, sentAtMs] = [clock.monotonicMs(), clock.now()];
    const { slot, isNameTaken } = await this.#connection.transaction(async (session) => {
      await session.run(waitAgain);
      await lockSchema(session);
      await checkRegistration?.(session);
      const isTaken = await hasNamesake(session, identity.name);
      const node = { number, identity, schemaVersion: SCHEMA_VERSION, isDraining: this.#isDraining };
      return { slot: await insertNode(session, node), isNameTaken: isTaken };
    });
    if (slot === null) return;
    if (isNameTaken) log.warn(namesakeWarning(identity.name));
    this.#lease = { number, slot, sentMs, sentAtMs };
    listener.onRegistered({ number, slot });
  }
}

const namesakeWarning = (name: string): string =>
  `another node is registered as ${name}: unless it is this one's predecessor, set NODE_NAME`;
