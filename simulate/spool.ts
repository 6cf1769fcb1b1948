/**
 * The spool's real facade, writer and SQL on the simulated disk, with the writer's thread in virtual time: a batch is
 * copied, runs after a while, and is answered after another while.
 */

import type { Database } from "better-sqlite3";
import { runBatch } from "../src/spool/sqlite/batch.ts";
import type { Writer, WriterListeners } from "../src/spool/sqlite/open-writer.ts";
import {
  QuarantineCheck,
  type QuarantineChecker,
  type QuarantineCheckResult,
  type QuarantinePart,
} from "../src/spool/sqlite/quarantine-check.ts";
import { ReportsClient } from "../src/spool/sqlite/reports-client.ts";
import { SqliteSpool, type SqliteStore } from "../src/spool/sqlite/sqlite-spool.ts";
import { openStore } from "../src/spool/sqlite/store.ts";
import { sentReplies, type ToWriter } from "../src/spool/sqlite/writer-protocol.ts";
import type { Chance } from "./chance.ts";
import type { Disk } from "./disk.ts";
import type { Life } from "./life.ts";
import type { Weather } from "./weather.ts";

const COMMIT_MS = [0.1, 8] as const;
const SLOW_MS = [50, 20_000] as const;

export interface SpoolParts {
  disk: Disk;
  life: Life;
  chance: Chance;
  weather: Weather;
  onFatal: (error: Error) => void;
}

/** Opens the spool. Throws when the disk does not let it, as at a real start. */
export function openSimulatedSpool(parts: SpoolParts): SqliteStore {
  const { disk, life, onFatal } = parts;
  const db = disk.open(life);
  const writer = writerOn(openStore(db), parts);
  // Memory has one connection for both; like a file's, the facade's closes before the writer's.
  const reader: Database = Object.create(db, { close: { value: () => reader } });
  const checker = checkerOn(reader, parts);
  const spool = new SqliteSpool(writer, reader, { reports: new ReportsClient(""), checker, unlock: () => {}, onFatal });
  // When a key was last used is written by a real timer, and is worth nothing here.
  spool.touchKey = () => {};
  return spool;
}

/** The check's thread in virtual time. */
function checkerOn(db: Database, { life, chance, weather }: SpoolParts): QuarantineChecker {
  const checker = new QuarantineCheck(db);
  const checked = (part: QuarantinePart): QuarantineCheckResult => {
    const found = checker.check(part);
    weather.tally.add("found_sound_again", found.sound.length);
    return found;
  };
  return {
    check: (part) =>
      new Promise((resolve, reject) => {
        life.after(chance.spread(COMMIT_MS), () => {
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

function writerOn(store: ReturnType<typeof openStore>, { life, chance, weather, disk, onFatal }: SpoolParts): Writer {
  let listeners: WriterListeners = { message: () => {}, failed: () => {}, ended: () => {} };
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const delayMs = (): number => chance.spread(weather.strikes("disk_slow") ? SLOW_MS : COMMIT_MS);
  const work = (message: ToWriter): void => {
    if (message.type === "close") {
      disk.sync();
      store.db.close();
      end();
      listeners.ended();
      return;
    }
    try {
      const replies = structuredClone(sentReplies(runBatch(store, message.requests)));
      life.after(delayMs(), () => listeners.message({ type: "replies", replies }));
    } catch (error) {
      // What a dying process throws is nobody's any more.
      if (life.alive) onFatal(error as Error);
    }
  };
  return {
    post(message) {
      const copy = structuredClone(message);
      life.after(delayMs(), () => work(copy));
    },
    listen(given) {
      listeners = given;
    },
    ended,
  };
}
