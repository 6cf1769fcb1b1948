/**
 * The command line: `postrider NOUN VERB …`. It opens the same spool as the service and may run beside it; what it
 * changes holds from the service's next request on. Exit 0 done, 1 refused or failed, 2 wrong usage.
 *
 * A spool is made only by commands that set up, and never unsaid: with a wrong DATA_DIR, every other command would show
 * or change an installation that nobody meant.
 */
import { resolve } from "node:path";
import { accountCommands } from "./cli/accounts.ts";
import { type Command, type CommandAnswer, Refusal, type Surroundings, UsageError, type Words } from "./cli/command.ts";
import { doctorCommands } from "./cli/doctor.ts";
import { domainCommands } from "./cli/domains.ts";
import { helpText } from "./cli/help.ts";
import { keyCommands } from "./cli/keys.ts";
import { messageCommands } from "./cli/messages.ts";
import { suppressionCommands } from "./cli/suppressions.ts";
import { inJson, inLine, inLines } from "./cli/terminal.ts";
import { readArguments } from "./cli/words.ts";
import { type Config, ConfigError, readConfig } from "./config.ts";
import { isThere, preparePlace, startFault } from "./places.ts";
import { openVault, type Vault } from "./secrets.ts";
import { openSqliteSpool } from "./spool/sqlite/sqlite-spool.ts";

const COMMANDS = [
  ...accountCommands,
  ...domainCommands,
  ...keyCommands,
  ...messageCommands,
  ...suppressionCommands,
  ...doctorCommands,
];

/** What had to be made on the way: told in a line each after an answer, in the one line of a fault. */
const made: string[] = [];

/** One line on standard error: standard output is the answer's alone. */
function say(line: string): void {
  process.stderr.write(`postrider: ${inLine(line)}\n`);
}

async function readInput(bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
    sizeBytes += (chunk as Buffer).length;
    if (sizeBytes > bytesMax) throw new Refusal(`standard input holds more than ${bytesMax} bytes`);
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function run(command: Command, words: Words, config: Config): Promise<CommandAnswer> {
  const isNew = !isThere("DATA_DIR", config.dataDir, "postrider.db");
  if (isNew && command.runWithoutSpool !== undefined) return command.runWithoutSpool(config);
  if (isNew && command.makesSpool === undefined) {
    const where = resolve(config.dataDir);
    throw new Refusal(`there is no spool in ${where}: set DATA_DIR to the service's, or start the service once`);
  }
  preparePlace("DATA_DIR", config.dataDir);
  return withSpool(command, words, { config, isNew });
}

/** Opens what commands work with, runs one, and closes again. */
async function withSpool(
  command: Command,
  words: Words,
  { config, isNew }: { config: Config; isNew: boolean },
): Promise<CommandAnswer> {
  const store = await openSqliteSpool({
    dataDir: config.dataDir,
    role: "client",
    onFatal: (error) => {
      throw error;
    },
  });
  try {
    if (isNew) made.push(`made a new spool in ${resolve(config.dataDir)}`);
    const name = String(words.options.account ?? "default");
    const account = await store.accountNamed(name);
    if (account === null) throw new Refusal(`there is no account ${name}`);
    const vault = () => openVaultOf(config);
    const surroundings: Surroundings = { config, store, vault, nowMs: Date.now(), account, readInput };
    return await command.run(surroundings, words);
  } finally {
    await store.close();
  }
}

function openVaultOf({ certsDir }: Config): Vault {
  preparePlace("CERTS_DIR", certsDir);
  const isNew = !isThere("CERTS_DIR", certsDir, "master.key");
  const vault = openVault(certsDir);
  if (isNew) made.push(`made a new master key in ${resolve(certsDir)}`);
  return vault;
}

async function main(args: string[]): Promise<void> {
  const reading = readArguments(args, COMMANDS);
  if (reading.type === "help") {
    process.stdout.write(`${helpText(COMMANDS, reading.noun)}\n`);
    return;
  }
  if (reading.type === "bare_noun") {
    process.stderr.write(`${helpText(COMMANDS, reading.noun)}\n`);
    process.exitCode = 2;
    return;
  }
  const config = readConfig(process.env);
  const answer = await run(reading.command, reading.words, config).catch((error) => {
    throw error instanceof Refusal || error instanceof UsageError ? error : new Refusal(startFault(error, config));
  });
  const { json } = reading.words.options;
  const shown = json === true ? inJson(JSON.stringify(answer.json, null, 2)) : inLines(answer.text);
  process.stdout.write(`${shown}\n`);
  made.forEach(say);
}

/** No fault of ours or anybody's is told as a stack trace. */
function fail(error: unknown): void {
  say([error instanceof Error ? error.message : String(error), ...made].join("; "));
  process.exitCode = error instanceof UsageError || error instanceof ConfigError ? 2 : 1;
}

// A reader that hangs up (`| head`) has seen what it wanted.
process.stdout.on("error", () => {});
process.on("uncaughtException", (error) => {
  fail(error);
  process.exit();
});
await main(process.argv.slice(2)).catch(fail);
