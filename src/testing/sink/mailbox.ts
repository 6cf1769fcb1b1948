/**
 * The sink's storage: a directory with one .eml file for each message and one line for each in messages.jsonl, and the newest
 * entries in memory. Nothing is removed from the directory.
 */
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Verdicts } from "./verdicts.ts";

/** One received message: a line of messages.jsonl. */
export interface SinkEntry extends Verdicts {
  id: string;
  /** When the final dot arrived. */
  at: string;
  /** The file in the directory with the message's exact bytes; null without a directory. */
  file: string | null;
  size_bytes: number;
  /** "" for the null sender. */
  mail_from: string;
  rcpt_to: string[];
  client_ip: string;
  ehlo: string;
  /** The protocol, such as "TLSv1.3". */
  tls: string | null;
  subject: string | null;
  message_id: string | null;
  /** The reply to the final dot. */
  answer: "accepted" | "dropped_after_dot";
}

export interface Mailbox {
  /** The newest entries, oldest first. */
  readonly entries: SinkEntry[];
  /** Writes a message's bytes and returns the file's name. Rejects if the write fails. */
  store(id: string, content: Buffer): Promise<string | null>;
  /** Appends the entry. Rejects if the write fails. */
  record(entry: SinkEntry): Promise<void>;
}

const ENTRIES_MAX = 10_000;

/** Stores messages in `dir`, creating it if necessary, or only in memory if it is null. */
export async function openMailbox(dir: string | null): Promise<Mailbox> {
  if (dir !== null) await mkdir(dir, { recursive: true });
  const entries: SinkEntry[] = [];
  return {
    entries,
    async store(id, content) {
      if (dir === null) return null;
      const file = `${id}.eml`;
      await writeFile(join(dir, file), content);
      return file;
    },
    async record(entry) {
      if (dir !== null) await appendFile(join(dir, "messages.jsonl"), `${JSON.stringify(entry)}\n`);
      entries.push(entry);
      if (entries.length > ENTRIES_MAX) entries.shift();
    },
  };
}
