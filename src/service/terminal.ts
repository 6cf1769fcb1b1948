import type { ProgramName } from "../cli/command.ts";

/** Where a run of the command line gets its settings and input from, and where its output goes. */
export interface Terminal {
  env: Record<string, string | undefined>;
  input: AsyncIterable<Uint8Array>;
  /** Whether standard output is a terminal. */
  isTerminal?: boolean;
  write(text: string): void;
  /** Resolves when standard output takes more, or nobody reads it any more. */
  drained?(): Promise<void>;
  writeError(text: string): void;
  /** Shows a long text a page at a time; resolves once the user has seen enough. Only where standard output is a terminal. */
  page?(text: string): Promise<void>;
  /** Shows a question and returns the line typed. Only where a person sees standard error and types standard input. */
  ask?(question: string): Promise<string>;
  /** Shows a line on standard error in place of the one before; "" removes it. Only where a person sees standard error. */
  progress?(line: string): void;
  /** Aborts with Ctrl-C, or when nobody reads standard output any more. Until it is called, Ctrl-C ends the process. */
  untilStopped?(): AbortSignal;
  /** Runs the demo or the sink; resolves with the exit code once it has ended. */
  runProgram?(name: ProgramName, args: string[]): Promise<number>;
}
