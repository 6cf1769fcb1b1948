/**
 * Runs a command of the command line for an API key, in the service: `POST /api/manage/commands`. A command on an account needs a key that
 * manages it, one on the installation a key that may operate, and those on files of the host are run by none.
 */
import { PassThrough } from "node:stream";
import { parseCommandLine } from "../cli/arguments.ts";
import { COMMANDS } from "../cli/catalog/catalog.ts";
import {
  type Command,
  type CommandContext,
  type Confirmation,
  type Implementation,
  type ParsedArguments,
  Refusal,
  UsageError,
} from "../cli/command.ts";
import { nameOf } from "../cli/usage.ts";
import type { ManageParts, RemoteRun } from "../http/manage/parts.ts";
import { SpoolUnavailable } from "../spool/port/errors.ts";
import { accountOf } from "./command-account.ts";
import { type CommandLine, WORKING_EVERY_MS } from "./command-output.ts";
import type { ServiceCore } from "./service-core.ts";

interface RemoteParts {
  acceptMessage: Awaited<ReturnType<CommandContext["acceptMessage"]>>;
  /** The latest findings of the doctor. */
  findings: CommandContext["findings"];
}

/** Octets of lines that the client has not read. Beyond, the command waits. */
const UNREAD_BYTES = 256 * 1024;
/** A client that leaves more unread is gone. */
const UNREAD_BYTES_MAX = 16 * 1024 * 1024;

export const remoteCommands =
  (core: ServiceCore, parts: RemoteParts): ManageParts["runCommand"] =>
  (run) => {
    const lines = new PassThrough({ readableHighWaterMark: UNREAD_BYTES, encoding: "utf8" });
    const stopped = new AbortController();
    lines.on("close", () => stopped.abort());
    const write = (line: CommandLine): boolean => {
      if (lines.readableLength + lines.writableLength > UNREAD_BYTES_MAX) lines.destroy();
      return lines.destroyed || lines.write(`${JSON.stringify(line)}\n`);
    };
    const working = setInterval(() => write({ type: "working" }), WORKING_EVERY_MS);
    const output: Output = {
      write,
      async writeAndWait(line) {
        if (write(line)) return;
        await new Promise<void>((resolve) => lines.once("drain", resolve).once("close", resolve));
      },
      stopped: AbortSignal.any([stopped.signal, run.ends]),
    };
    runCommand(core, parts, { run, output })
      .catch((error: unknown): CommandLine => refusalOf(core, error, run.requestId))
      .then((last) => lines.end(lines.destroyed ? undefined : `${JSON.stringify(last)}\n`))
      .finally(() => clearInterval(working));
    return lines;
  };

interface Output {
  write: (line: CommandLine) => void;
  /** As write, and resolves once the client has read enough. */
  writeAndWait: (line: CommandLine) => Promise<void>;
  /** Aborts when the client is gone, or the service ends. */
  stopped: AbortSignal;
}

/** Thrown where a command asks and the user has not confirmed yet. */
class Unconfirmed extends Error {
  readonly question: CommandLine;

  constructor(question: string, how: Confirmation) {
    super(question);
    this.question = { type: "confirm", question, ...how };
  }
}

function refusalOf({ log }: ServiceCore, error: unknown, requestId: string): CommandLine {
  if (error instanceof Unconfirmed) return error.question;
  if (error instanceof UsageError) return { type: "refused", message: error.message, exitCode: 2 };
  if (error instanceof Refusal) return { type: "refused", message: error.message, exitCode: 1 };
  if (error instanceof SpoolUnavailable)
    return { type: "refused", message: "the spool is unavailable: try again in a moment", exitCode: 1 };
  log.error({ requestId, err: error }, "command failed");
  return {
    type: "refused",
    message: `the command failed in the service; its log has the cause (${requestId})`,
    exitCode: 1,
  };
}

interface Invocation {
  run: RemoteRun;
  output: Output;
}

async function runCommand(core: ServiceCore, parts: RemoteParts, { run, output }: Invocation): Promise<CommandLine> {
  const parsed = parseCommandLine([...run.arguments], COMMANDS);
  if (parsed.type !== "command") throw new UsageError("only commands are run by the service");
  const { command, args } = parsed;
  requireReach(command, args, run);
  const implementation = await command.load();
  if (
    "describe" in implementation ||
    "converse" in implementation ||
    "runHere" in implementation ||
    "program" in implementation
  )
    throw new UsageError(`${nameOf(command)} runs where you type it`);
  const context = await contextOf(core, parts, { run, output, command, args });
  const result = await runIn(context, implementation, args);
  return { type: "result", result, notes: [] };
}

/** Throws a Refusal for a command that the key may not run. */
function requireReach(command: Command, { options }: ParsedArguments, { key, isOperator, account }: RemoteRun): void {
  const name = nameOf(command);
  if (command.reach === "host") throw new Refusal(`${name} works on files of the host: run it there`);
  if (isOperator) return;
  if (command.reach !== "account") throw new Refusal(`${name} needs a key with the permission operate`);
  const named = options.account;
  if (typeof named === "string" && named !== account.name && named !== account.id)
    throw new Refusal(`the key ${key.id} manages only the account ${account.name}`);
}

function runIn(
  context: CommandContext,
  { run, neverOpensSpool, runWithoutSpool }: Implementation,
  args: ParsedArguments,
) {
  return neverOpensSpool === true && runWithoutSpool !== undefined
    ? runWithoutSpool(context, args)
    : run(context, args);
}

async function contextOf(
  { config, installation, vault, spool, clock }: ServiceCore,
  { acceptMessage, findings }: RemoteParts,
  { run, output, command, args }: Invocation & { command: Command; args: ParsedArguments },
): Promise<CommandContext> {
  const { changes, isOperator, by } = run;
  const account = isOperator ? await accountOf(spool, { command, args }, async () => run.account) : run.account;
  return {
    config,
    installation,
    store: changes.store,
    webhooks: async () => changes.webhooks,
    acceptMessage: async () => acceptMessage,
    vault: async () => vault,
    nowMs: clock.now(),
    account,
    by,
    mayOperate: isOperator,
    findings,
    async confirm(question, how = {}) {
      if (run.confirmed || args.options.yes === true) return;
      throw new Unconfirmed(question, how);
    },
    print: ({ json, text }) => output.write({ type: "part", json, text }),
    untilStopped: () => output.stopped,
    progress: () => {},
    readInput: (bytesMax) => readAll(run.input, bytesMax),
    input: run.input,
    writeOut: (text) => output.writeAndWait({ type: "out", text }),
  };
}

/** Rejects with a Refusal if the input is longer than `bytesMax`. */
export async function readAll(input: AsyncIterable<Uint8Array>, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of input) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > bytesMax) throw new Refusal(`standard input is longer than ${bytesMax} bytes`);
  }
  return Buffer.concat(chunks).toString("utf8");
}
