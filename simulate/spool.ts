/**
 * The real spool facade, writer and SQL on the simulated disk. The writer's thread runs in virtual time: a batch is
 * copied, runs after a delay, and its replies arrive after another delay.
 */

import type { Database } from "better-sqlite3";
import { contentOf } from "../src/message/content.ts";
import type { Operation } from "../src/spool/engine/operations.ts";
import type { Session } from "../src/spool/engine/session.ts";
import { hasStoreOperation, runBatch, runMixedBatch } from "../src/spool/engine/sqlite/connection/batch.ts";
import type { Writer, WriterListeners } from "../src/spool/engine/sqlite/connection/open-writer.ts";
import { ReportsClient } from "../src/spool/engine/sqlite/connection/reports-client.ts";
import { SqliteSession } from "../src/spool/engine/sqlite/connection/sqlite-session.ts";
import type { Request } from "../src/spool/engine/sqlite/connection/writer-operations.ts";
import {
  type Reply,
  sentReplies,
  type ToWriter,
  transferOf,
} from "../src/spool/engine/sqlite/connection/writer-protocol.ts";
import { openStore } from "../src/spool/engine/sqlite/connection/writer-store.ts";
import {
  QuarantineCheck,
  type QuarantineChecker,
  type QuarantineCheckResult,
  type QuarantinePart,
} from "../src/spool/engine/sqlite/quarantine/quarantine-check.ts";
import { type SqliteStore, sqliteStore } from "../src/spool/engine/sqlite/sqlite-spool.ts";
import { REPORTS } from "../src/spool/store/operations.ts";
import type { Disk } from "./disk.ts";
import type { FaultInjector } from "./fault-injector.ts";
import type { Incarnation } from "./incarnation.ts";
import type { Prng } from "./prng.ts";

const COMMIT_MS = [0.1, 8] as const;
const SLOW_MS = [50, 20_000] as const;
/** Small, so that many messages have several parts, and small databases hold many of them. */
const PART_BYTES = 2048;

export interface SpoolOptions {
  disk: Disk;
  incarnation: Incarnation;
  prng: Prng;
  faults: FaultInjector;
  onFatal: (error: Error) => void;
}

/** Opens the spool. Throws on a disk error, as at a real start. */
export function openSimulatedSpool(parts: SpoolOptions): SqliteStore {
  const { disk, incarnation, onFatal } = parts;
  const db = disk.open(incarnation);
  const writer = createWriter(openStore(db), parts);
  // In memory, reader and writer share one connection; closing the reader must not close the writer's.
  const reader: Database = Object.create(db, { close: { value: () => reader } });
  const checker = createChecker(reader, parts);
  const others = { reports: new SimulatedReports(reader, parts), checker, unlock: () => {}, onFatal };
  const spool = sqliteStore(writer, reader, { ...others, partBytes: PART_BYTES });
  // A real timer writes the time of a key's last use, which the simulation does not need.
  spool.touchKey = () => {};
  hashLargeBodies(spool);
  return spool;
}

/** Only a content whose body is hashed is stored in parts, and the API does not hash bodies as small as these. */
function hashLargeBodies(spool: SqliteStore): void {
  const accept = spool.accept.bind(spool);
  spool.accept = (message) => {
    const { content } = message;
    const bodyHash = content.length > PART_BYTES ? contentOf(content).bodyHash : message.bodyHash;
    return accept({ ...message, bodyHash });
  };
}

/** Runs the reports of the store in virtual time. */
class SimulatedReports extends ReportsClient {
  readonly #session: Session;
  readonly #parts: SpoolOptions;

  constructor(db: Database, parts: SpoolOptions) {
    super("");
    this.#session = new SqliteSession(db, { avoid: (_place, run) => run(), note() {} });
    this.#parts = parts;
  }

  override run(name: string, args: unknown[]): Promise<unknown> {
    const { incarnation, prng } = this.#parts;
    const report = REPORTS.get(name) as Operation<unknown[]>;
    return new Promise((resolve) => {
      incarnation.after(prng.logUniform(COMMIT_MS), () => resolve(report(this.#session, ...args)));
    });
  }
}

/** Runs the quarantine check in virtual time. */
function createChecker(db: Database, { incarnation, prng, faults }: SpoolOptions): QuarantineChecker {
  const checker = new QuarantineCheck(db);
  const checked = (part: QuarantinePart): QuarantineCheckResult => {
    const found = checker.check(part);
    faults.tally.add("found_intact", found.sound.length);
    return found;
  };
  return {
    check: (part) =>
      new Promise((resolve, reject) => {
        incarnation.after(prng.logUniform(COMMIT_MS), () => {
          try {
            resolve(checked(part));
          } catch (error) {
            reject(error);
          }
        });
      }),
    close: async () => {},
  };
}

function createWriter(
  store: ReturnType<typeof openStore>,
  { incarnation, prng, faults, disk, onFatal }: SpoolOptions,
): Writer {
  let listeners: WriterListeners = { message: () => {}, failed: () => {}, ended: () => {} };
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const delayMs = (): number => prng.logUniform(faults.occurs("disk_slow") ? SLOW_MS : COMMIT_MS);
  const run = async (requests: Request[]): Promise<Reply[]> =>
    hasStoreOperation(requests) ? runMixedBatch(store, requests) : runBatch(store, requests);
  const handle = async (message: ToWriter): Promise<void> => {
    if (message.type === "close") {
      disk.sync();
      store.db.close();
      end();
      listeners.ended();
      return;
    }
    for (const [operation] of message.requests) {
      if (operation === "stage") faults.tally.add("parts_staged");
      if (operation === "discard") faults.tally.add("parts_discarded");
    }
    try {
      const sent = sentReplies(await run(message.requests));
      const replies = structuredClone(sent, { transfer: transferOf(sent) });
      const events = store.takeEvents();
      incarnation.after(delayMs(), () =>
        listeners.message({ type: "replies", replies, ...(events.length > 0 ? { events } : {}) }),
      );
    } catch (error) {
      // Errors of a dead process are ignored.
      if (incarnation.isAlive) onFatal(error as Error);
    }
  };
  return {
    post(message, transfer = []) {
      const copy = structuredClone(message, { transfer });
      incarnation.after(delayMs(), () => void handle(copy));
    },
    listen(newListeners) {
      listeners = newListeners;
    },
    ended,
  };
}
