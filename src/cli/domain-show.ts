/** `domains show`: the checks of a domain as of the last time, and what is to do about each record. */
import {
  type CheckedRecord,
  checkedRecords,
  domainView,
  namedChecks,
  newKeyRecord,
} from "../app/domains/domain-view.ts";
import { type RecordToPublish, recordsToPublish, returnPathRecords } from "../domains/records.ts";
import { type DomainCheck, isWarned } from "../spool/port/domains.ts";
import { boundDomain } from "./bound-domain.ts";
import { checkTable } from "./check-text.ts";
import type { Implementation } from "./command.ts";
import { verdictLines } from "./domain-verdict.ts";
import { returnPathLines } from "./return-path-text.ts";
import { senderContext } from "./sender-context.ts";

export const showDomain: Implementation = {
  async run(context, { positionals: [name = ""] }) {
    const { store, nowMs } = context;
    const domain = await boundDomain(context, name);
    const path = await store.returnPathNamed(domain.accountId, domain.name);
    const sender = await senderContext(context);
    const checks = namedChecks(domain, path);
    const wanted = [
      ...recordsToPublish({ ...domain, hasReturnPath: path !== null }, sender),
      ...(path === null ? [] : returnPathRecords(domain, sender)),
    ];
    const rows = checkedRecords(domain, path, wanted);
    const newKey = newKeyRecord(domain, await store.rotations());
    const json = domainView(domain, { path, records: rows, newKey });
    const text = [
      `${domain.name}, added ${json.created_at}. Checked automatically; next check at ${json.next_check_at}.`,
      "",
      checkTable(checks.map(([check, result]) => [check, shortened(result)])),
      "",
      ...verdictLines(domain, domain.verified, nowMs),
      ...returnPathLines(path),
      ...recordSections(rows, newKey),
    ];
    return { json, text: text.join("\n") };
  },
};

/** From this length on, a check's sentence refers to the value below the table instead of repeating it. */
const LONG_VALUE_LENGTH = 60;

function shortened(check: DomainCheck): DomainCheck {
  const { expected, detail } = check;
  if (expected.length < LONG_VALUE_LENGTH) return check;
  const below = detail.replaceAll(`the value ${expected}`, "the value below").replaceAll(expected, "the value below");
  return { ...check, detail: below };
}

/** What is to do, and what is not. */
function recordSections(rows: readonly CheckedRecord[], newKey: RecordToPublish | null): string[] {
  const unseen = rows.filter(({ check }) => check.state === "temporary_failure");
  const sound = rows.filter(({ check }) => check.state === "verified" && !isWarned(check));
  const done = sound.filter(({ check: { expected, found } }) => found.includes(expected));
  const better = sound.filter((row) => !done.includes(row));
  const open = rows.filter((row) => !unseen.includes(row) && !sound.includes(row));
  const ofNewKey =
    newKey === null ? [] : [block("dkim, new key: publish it", newKey, [["publish", newKey.value]], newKey.note)];
  return [
    ...section("To do:", [...open.map(openBlock), ...ofNewKey]),
    ...section("Could be better:", better.map(openBlock)),
    ...section("Not seen at the last check, which is repeated:", unseen.map(unseenBlock)),
    ...section("Published as it should be:", done.map(doneBlock)),
  ];
}

const section = (title: string, blocks: string[]): string[] => (blocks.length === 0 ? [] : ["", title, "", ...blocks]);

function openBlock({ record, check: { found, foundAt = record.name } }: CheckedRecord): string {
  const { check, name, value, note } = record;
  if (found.length === 0) return block(`${check}: publish it`, record, [["publish", value]], note);
  const at = foundAt === name ? "" : ` (at ${foundAt})`;
  const published = found.map((each): Line => ["published", `${each}${at}`]);
  if (at === "" && found.includes(value)) return block(check, record, published, note);
  return block(`${check}: change it`, record, [...published, ["change to", value]], note);
}

const unseenBlock = ({ record }: CheckedRecord): string => block(record.check, record, [["expected", record.value]]);

const doneBlock = ({ record, check: { found } }: CheckedRecord): string =>
  block(
    record.check,
    record,
    found.map((value): Line => ["published", value]),
  );

type Line = [label: string, text: string];

/** A record under its title, in two columns. */
function block(title: string, { type, name }: RecordToPublish, values: readonly Line[], note?: string): string {
  const lines = [[type, name], ...values].map(([label = "", text]) => `  ${label.padEnd("published".length)}  ${text}`);
  return [title, ...lines, ...(note === undefined ? [] : [`  ${note}`])].join("\n");
}
