/** Parsing of command lines: options anywhere, help, suggestions, and wrong usage. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseCommandLine } from "../../src/cli/arguments.ts";
import { type Command, UsageError } from "../../src/cli/command.ts";
import { unknownValue } from "../../src/cli/suggestions.ts";

const rest = { summary: "do it", examples: [], load: async () => ({ run: async () => ({ json: null, text: "" }) }) };
const queueRetry: Command = { usage: "queue retry ID [RECIPIENT]", irreversible: true, ...rest };
const queueList: Command = {
  usage: "queue list",
  options: {
    domain: { type: "string", usage: "[--domain NAME]", summary: "one domain" },
    result: { type: "string", usage: "[--result RESULT]", summary: "a result", values: ["pending", "unknown"] },
    only: { type: "string", usage: "[--only RESULT,…]", summary: "results", values: ["pending"], isList: true },
  },
  ...rest,
};
const turn: Command = { usage: "queue turn on|off", ...rest };
const name: Command = {
  usage: "queue name",
  options: { as: { type: "string", usage: "--as TEXT", summary: "a name" } },
  ...rest,
};
const doctor: Command = { usage: "doctor", ...rest };
const COMMANDS = [queueList, queueRetry, turn, name, doctor];

const read = (line: string) => parseCommandLine(line.split(" ").filter(Boolean), COMMANDS);

function command(line: string) {
  const reading = read(line);
  assert.equal(reading.type, "command", line);
  return { usage: reading.command.usage, ...reading.args, options: { ...reading.args.options } };
}

function topicOf(line: string) {
  const reading = read(line);
  assert.equal(reading.type, "help", line);
  return reading.topic;
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
    assert.deepEqual(command("queue retry a --yes").options, { yes: true });
  });

  it("takes words after -- literally", () => {
    assert.deepEqual(command("--json queue retry -- --help -x").positionals, ["--help", "-x"]);
    assert.deepEqual(command("doctor").positionals, []);
  });

  it("recognizes requests for help, about all, one noun or one command", () => {
    for (const line of ["help", "--help", "-h", "--json help", "help --version"]) {
      assert.deepEqual(topicOf(line), { type: "all" }, line);
    }
    for (const line of ["help queue", "queue help", "queue --help", "help queue x"]) {
      assert.deepEqual(topicOf(line), { type: "noun", noun: "queue" }, line);
    }
    for (const line of ["help queue list", "--help queue list", "queue list -h"]) {
      assert.deepEqual(topicOf(line), { type: "command", command: queueList }, line);
    }
    assert.deepEqual(topicOf("doctor help"), { type: "command", command: doctor });
    assert.deepEqual(read("queue"), { type: "bare_noun", noun: "queue" });
    assert.deepEqual(read("--json queue"), { type: "bare_noun", noun: "queue" });
  });

  it("recognizes the request for the version", () => {
    const reading = read("--json --version");
    assert.equal(reading.type, "version");
    assert.equal(reading.options.json, true);
    assert.throws(() => read("doctor --version"), new UsageError("doctor takes no --version"));
  });

  it("takes no word at all as a request for help", () => {
    const reading = read("");
    assert.ok(reading.type === "help" && reading.topic.type === "all");
  });

  it("rejects wrong usage with the fault", () => {
    const faults: [string, string][] = [
      ["--json", "no command given; see postrider help"],
      ["frob", "unknown command 'frob'; there are queue and doctor"],
      ["help frob", "unknown command 'frob'; there are queue and doctor"],
      ["--help frob", "unknown command 'frob'; there are queue and doctor"],
      ["queue paint", "unknown command 'queue paint'; queue takes list, retry, turn or name"],
      ["queue retry", "ID is missing; usage: postrider queue retry ID [RECIPIENT] [--yes]"],
      ["queue retry a b c", "'c' is an extra argument; usage: postrider queue retry ID [RECIPIENT] [--yes]"],
      ["doctor now", "'now' is an extra argument; usage: postrider doctor"],
      ["doctor --yes", "doctor takes no --yes; usage: postrider doctor"],
      ["queue turn", "on|off is missing; usage: postrider queue turn on|off"],
      ["queue turn up", "'up' is not on or off; usage: postrider queue turn on|off"],
      ["queue name", "queue name needs --as TEXT; usage: postrider queue name --as TEXT"],
      ["doctor --domain b", "doctor takes no --domain; usage: postrider doctor"],
      ["queue list --frobnicate", "Unknown option '--frobnicate'; see postrider help"],
      ["queue list --account", "Option '--account <value>' argument missing; see postrider help"],
      ["queue list --account --json", "Option '--account' argument is ambiguous; see postrider help"],
      ["queue list --json=yes", "Option '--json' does not take an argument; see postrider help"],
      ["queue list --account a --account b", "--account is given twice"],
      ["queue list --account=", "--account is empty"],
      ["queue list --result late", "--result 'late' is not known; it is one of pending, unknown"],
    ];
    for (const [line, message] of faults) assert.throws(() => read(line), new UsageError(message), line);
    assert.throws(() => parseCommandLine(["queue", "retry", " "], COMMANDS), /^Error: ID is missing/);
    assert.throws(() => parseCommandLine(["queue", "retry", "a", ""], COMMANDS), /^Error: RECIPIENT is missing/);
  });

  it("suggests what was meant by a typing error", () => {
    const faults: [string, string][] = [
      ["quue list", "unknown command 'quue': did you mean 'queue'?"],
      ["que", "unknown command 'que': did you mean 'queue'?"],
      ["doc", "unknown command 'doc': did you mean 'doctor'?"],
      ["list queue", "unknown command 'list': did you mean 'queue list'?"],
      ["queue lits", "unknown command 'queue lits': did you mean 'queue list'?"],
      ["queue ls", "unknown command 'queue ls': did you mean 'queue list'?"],
      ["queue list --jsno", "Unknown option '--jsno': did you mean --json?"],
      ["queue list --domian a", "Unknown option '--domian': did you mean --domain?"],
      ["--verison", "Unknown option '--verison': did you mean --version?"],
      ["queue list --result unknwon", "--result 'unknwon' is not known: did you mean 'unknown'?"],
    ];
    for (const [line, message] of faults) assert.throws(() => read(line), new UsageError(message), line);
    assert.equal(unknownValue("--as", "re", ["remove", "retry"]), "--as 're' is not known; it is one of remove, retry");
  });

  it("leaves the items of a list to the command", () => {
    assert.equal(command("queue list --only pending,other").options.only, "pending,other");
  });
});
