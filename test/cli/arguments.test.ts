/** Parsing of command lines: options anywhere, help, and wrong usage. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseCommandLine } from "../../src/cli/arguments.ts";
import { type Command, UsageError } from "../../src/cli/command.ts";

const nothing = async () => ({ json: null, text: "" });
const queueRetry: Command = { usage: "queue retry ID [RECIPIENT]", summary: "try again", run: nothing };
const queueList: Command = {
  usage: "queue list",
  summary: "what waits",
  options: { domain: { type: "string", usage: "[--domain NAME]" } },
  run: nothing,
};
const doctor: Command = { usage: "doctor", summary: "look", run: nothing };
const COMMANDS = [queueList, queueRetry, doctor];

const read = (line: string) => parseCommandLine(line.split(" ").filter(Boolean), COMMANDS);

function command(line: string) {
  const reading = read(line);
  assert.equal(reading.type, "command", line);
  return { usage: reading.command.usage, ...reading.args, options: { ...reading.args.options } };
}

describe("parsing a command line", () => {
  it("accepts options before, within and after the command", () => {
    const wanted = {
      usage: "queue list",
      positionals: [],
      options: { account: "blue", json: true, domain: "a.example" },
    };
    assert.deepEqual(command("--json --account blue --domain a.example queue list"), wanted);
    assert.deepEqual(command("queue --json --account=blue list --domain=a.example"), wanted);
    assert.deepEqual(command("queue list --domain a.example --account blue --json"), wanted);
  });

  it("takes words after -- literally", () => {
    assert.deepEqual(command("--json queue retry -- --help -x").positionals, ["--help", "-x"]);
    assert.deepEqual(command("doctor").positionals, []);
  });

  it("recognizes requests for help, about all or one noun", () => {
    for (const line of ["help", "--help", "-h", "--json help"])
      assert.deepEqual(read(line), { type: "help", noun: null });
    for (const line of [
      "help queue",
      "queue help",
      "queue --help",
      "--help queue list",
      "queue list -h",
      "help queue x",
    ]) {
      assert.deepEqual(read(line), { type: "help", noun: "queue" }, line);
    }
    assert.deepEqual(read("doctor help"), { type: "help", noun: "doctor" });
    assert.deepEqual(read("queue"), { type: "bare_noun", noun: "queue" });
    assert.deepEqual(read("--json queue"), { type: "bare_noun", noun: "queue" });
  });

  it("rejects wrong usage with the fault", () => {
    const faults: [string, string][] = [
      ["", "no command given; see postrider help"],
      ["--json", "no command given; see postrider help"],
      ["frob", "there is no command 'frob'; there are queue and doctor"],
      ["help frob", "there is no command 'help frob'; there are queue and doctor"],
      ["--help frob", "there is no command 'frob'; there are queue and doctor"],
      ["queue paint", "there is no command 'queue paint'; queue takes list or retry"],
      ["queue retry", "ID is missing; usage: postrider queue retry ID [RECIPIENT]"],
      ["queue retry a b c", "'c' is an extra argument; usage: postrider queue retry ID [RECIPIENT]"],
      ["doctor now", "'now' is an extra argument; usage: postrider doctor"],
      ["queue retry a --domain b", "queue retry takes no --domain; usage: postrider queue retry ID [RECIPIENT]"],
      ["queue list --frob", "Unknown option '--frob'; see postrider help"],
      ["queue list --account", "Option '--account <value>' argument missing; see postrider help"],
      ["queue list --account --json", "Option '--account' argument is ambiguous; see postrider help"],
      ["queue list --json=yes", "Option '--json' does not take an argument; see postrider help"],
      ["queue list --account a --account b", "--account is given twice"],
      ["queue list --account=", "--account is empty"],
    ];
    for (const [line, message] of faults) assert.throws(() => read(line), new UsageError(message), line);
    assert.throws(() => parseCommandLine(["queue", "retry", " "], COMMANDS), /^Error: ID is missing/);
    assert.throws(() => parseCommandLine(["queue", "retry", "a", ""], COMMANDS), /^Error: RECIPIENT is missing/);
  });
});
