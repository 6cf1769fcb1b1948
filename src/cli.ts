/**
 * The command line: `postrider NOUN VERB …`. It opens the same spool as the service and may run beside it; what it
 * changes holds from the service's next request on. Exit 0 done, 1 refused or failed, 2 wrong usage.
 */
import { parseArgs } from "node:util";
import { accountCommands } from "./cli/accounts.ts";
import { type Command, Refusal, type Surroundings, UsageError, type Words } from "./cli/command.ts";
import { doctorCommands } from "./cli/doctor.ts";
import { domainCommands } from "./cli/domains.ts";
import { keyCommands } from "./cli/keys.ts";
import { messageCommands } from "./cli/messages.ts";
import { suppressionCommands } from "./cli/suppressions.ts";
import { inJson, inLine, inLines } from "./cli/terminal.ts";
import { ConfigError, readConfig } from "./config.ts";
import { openVault } from "./secrets.ts";
import { openSqliteSpool } from "./spool/sqlite/sqlite-spool.ts";

const COMMANDS = [
  ...accountCommands,
  ...domainCommands,
  ...keyCommands,
  ...messageCommands,
  ...suppressionCommands,
  ...doctorCommands,
];

const COMMON_OPTIONS = { account: { type: "string" }, json: { type: "boolean" }, help: { type: "boolean" } } as const;

function help(): string {
  const lines = COMMANDS.map(({ usage, options }) => {
    const named = Object.entries(options ?? {}).map(([name, { type }]) =>
      type === "string" ? `[--${name} TEXT]` : `[--${name}]`,
    );
    return `  ${[usage, ...named].join(" ")}`;
  });
  return ["usage: postrider NOUN VERB … [--account NAME] [--json]", "", ...lines].join("\n");
}

/** The usage's words: lower-case ones name the command, upper-case ones are its positionals. */
function shape({ usage }: Command): { name: string[]; required: number; most: number } {
  const words = usage.split(" ");
  const name = words.filter((word) => /^[a-z]/.test(word));
  const most = words.length - name.length;
  return { name, most, required: most - words.filter((word) => word.startsWith("[")).length };
}

function findCommand(args: string[]): { command: Command; rest: string[] } {
  const command = COMMANDS.find((candidate) => shape(candidate).name.every((word, i) => args[i] === word));
  if (command === undefined) {
    const words = args.filter((arg) => !arg.startsWith("-")).slice(0, 2);
    const fault = words.length === 0 ? "no command given" : `there is no command '${words.join(" ")}'`;
    throw new UsageError(`${fault}; see --help`);
  }
  return { command, rest: args.slice(shape(command).name.length) };
}

function readWords(command: Command, rest: string[]): Words {
  let parsed: { values: Words["options"]; positionals: string[] };
  try {
    const options = { ...COMMON_OPTIONS, ...command.options };
    parsed = parseArgs({ args: rest, options, allowPositionals: true }) as typeof parsed;
  } catch (error) {
    throw new UsageError((error as Error).message.split("\n")[0]);
  }
  const { required, most } = shape(command);
  if (parsed.positionals.length < required || parsed.positionals.length > most) {
    throw new UsageError(`usage: postrider ${command.usage}`);
  }
  return { positionals: parsed.positionals, options: parsed.values };
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

/** Opens what commands work with, runs one, and closes again. */
async function run(command: Command, words: Words): Promise<string> {
  const config = readConfig(process.env);
  const store = await openSqliteSpool({
    dataDir: config.dataDir,
    role: "client",
    onFatal: (error) => {
      throw error;
    },
  });
  try {
    const name = String(words.options.account ?? "default");
    const account = await store.accountNamed(name);
    if (account === null) throw new Refusal(`there is no account ${name}`);
    const vault = () => openVault(config.certsDir);
    const surroundings: Surroundings = { config, store, vault, nowMs: Date.now(), account, readInput };
    const answer = await command.run(surroundings, words);
    return words.options.json === true ? inJson(JSON.stringify(answer.json, null, 2)) : inLines(answer.text);
  } finally {
    await store.close();
  }
}

async function main(args: string[]): Promise<void> {
  if (args.includes("--help") || args.includes("-h")) {
    process.stdout.write(`${help()}\n`);
    return;
  }
  const { command, rest } = findCommand(args);
  process.stdout.write(`${await run(command, readWords(command, rest))}\n`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`postrider: ${inLine(message)}\n`);
  process.exitCode = error instanceof UsageError || error instanceof ConfigError ? 2 : 1;
}
