/**
 * What a command that the service runs for a client says, a line of JSON at a time: its parts, whether the service still works on it, a
 * question, and its end. service/remote-client.ts reads what service/remote-command.ts writes.
 */
import type { CommandResult, Confirmation } from "../cli/command.ts";

export type CommandLine =
  /** A part of the result, as CommandContext.print prints it. */
  | { type: "part"; json: unknown; text: string }
  /** Text for standard output, as it is. */
  | { type: "out"; text: string }
  /** Nothing to say yet. */
  | { type: "working" }
  /** The command asks before it goes on; the client sends it again once the user has confirmed it. Nothing was changed. */
  | ({ type: "confirm"; question: string } & Confirmation)
  /** Null: the parts were all. */
  | { type: "result"; result: CommandResult | null; notes: string[] }
  /** The command was refused, or its usage was wrong; or the service failed. */
  | { type: "refused"; message: string; exitCode: number };

/** The first line of a request, in front of the octets of the command's input. */
export interface CommandRequest {
  /** The words of the command line. */
  arguments: string[];
  /** Whether the user has confirmed what the command asks. */
  confirmed?: boolean;
}

/** Octets of a line in either direction: the longest is a result. */
export const LINE_BYTES_MAX = 64 * 1024 * 1024;
/** Between two lines of a command that works on. */
export const WORKING_EVERY_MS = 15_000;
