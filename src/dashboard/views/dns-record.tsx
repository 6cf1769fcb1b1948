/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * One check of a domain: its state, the record to publish, and the published record compared with the expected one.
 */
import type { RecordToPublish } from "../../domains/records.ts";
import { type CheckName, type DomainCheck, isWarned, type ReturnPathCheckName } from "../../spool/port/domains.ts";
import { Badge, Copyable, RelativeTime } from "./components.tsx";
import { type DiffPart, difference } from "./difference.ts";
import { CHECK_TITLES, checkLabel } from "./labels.ts";

export const CHECK_PURPOSES: Readonly<Record<CheckName | ReturnPathCheckName, string>> = {
  ownership: "proves that you control the domain",
  mx: "receives replies and bounces",
  spf: "lists the hosts that may send for the domain",
  dkim: "lets receivers verify the signature",
  dmarc: "tells receivers how to treat forged messages",
  return_path_mx: "has bounces and reports sent to Postrider",
  return_path_spf: "lists the hosts that may send with the return path",
};

export interface CheckViewProps {
  record: RecordToPublish;
  check: DomainCheck;
  nowMs: number;
}

/** Returns the record to publish: a correction of the published record once the check has run. */
export function correctedRecord(record: RecordToPublish, check: DomainCheck): RecordToPublish {
  if (check.expected === "") return record;
  return { ...record, name: check.expectedAt ?? record.name, value: check.expected, note: noteOf(record, check) };
}

function noteOf({ note }: RecordToPublish, { state, found, foundAt, expectedAt }: DomainCheck): string {
  if (state !== "failed" || found.length === 0) return note;
  if (foundAt !== undefined && foundAt !== expectedAt) return `Add it at this name, and delete the one at ${foundAt}.`;
  if (found.length > 1) return "This record replaces all published records: delete the others.";
  return "This replaces the published record: change it instead of adding a second one.";
}

export function CheckView({ record, check, nowMs }: CheckViewProps) {
  const wanted = correctedRecord(record, check);
  const isGood = check.state === "verified" && !isWarned(check);
  const isPublished = isGood || (isWarned(check) && check.found.includes(check.expected));
  const shown = isGood ? "check verified" : "check";
  return (
    <section class={`card ${shown}`} id={`check-${record.check}`} aria-labelledby={`check-${record.check}-title`}>
      <div class="check-head">
        <h3 id={`check-${record.check}-title`}>
          {CHECK_TITLES[record.check]} <span class="check-purpose">{CHECK_PURPOSES[record.check]}</span>
        </h3>
        <Badge label={checkLabel(check)} />
      </div>
      <p class="check-detail">
        {check.detail}
        {check.checkedAtMs === null ? null : (
          <span class="quiet">
            {" "}
            Checked <RelativeTime atMs={check.checkedAtMs} nowMs={nowMs} />.
          </span>
        )}
      </p>
      {isPublished ? (
        <details>
          <summary>Record</summary>
          <RecordRows record={wanted} />
          <Found check={check} name={record.name} />
        </details>
      ) : (
        <>
          <RecordRows record={wanted} />
          <Found check={check} name={record.name} />
        </>
      )}
    </section>
  );
}

/** A record's type, name and value; name and value have a Copy button. */
export function RecordRows({ record }: { record: RecordToPublish }) {
  const recordText = `of the ${CHECK_TITLES[record.check]} record`;
  return (
    <>
      <dl class="record">
        <dt>Type</dt>
        <dd>
          <code>{record.type}</code>
        </dd>
        <dt>Name</dt>
        <dd>
          <Copyable text={record.name} label={`name ${recordText}`} />
        </dd>
        <dt>Value</dt>
        <dd>
          <Copyable text={record.value} label={`value ${recordText}`} />
        </dd>
      </dl>
      <p class="hint">{record.note}</p>
    </>
  );
}

/** The published records. Empty before the first check, and where only the expected record is published. */
function Found({ check, name }: { check: DomainCheck; name: string }) {
  if (check.checkedAtMs === null || check.state === "temporary_failure") return null;
  const others = check.found.filter((text) => text !== check.expected);
  if (check.state === "verified" && others.length === 0) return null;
  const { foundAt, expectedAt = name } = check;
  const isElsewhere = foundAt !== undefined && foundAt !== expectedAt;
  return (
    <div class="found">
      <p class="found-title">{check.found.length === 0 ? "No record found" : "Found in DNS"}</p>
      {isElsewhere ? <Comparison expected={expectedAt} found={foundAt} suffix=" at" isWrong /> : null}
      {check.found.map((text) => (
        <Comparison
          key={text}
          expected={check.expected}
          found={text}
          isWrong={text !== check.expected && (check.state !== "verified" || isWarned(check))}
        />
      ))}
    </div>
  );
}

interface ComparisonProps {
  expected: string;
  found: string;
  /** Follows the captions "found" and "expected". */
  suffix?: string;
  /** Whether to show the expected text and mark the differences. */
  isWrong: boolean;
}

function Comparison({ expected, found, suffix = "", isWrong }: ComparisonProps) {
  const compared = isWrong ? difference(expected, found) : { found: [{ text: found, differs: false }], expected: [] };
  return (
    <div class="found-pair">
      <p class="found-line">
        <span class="found-caption">found{suffix}</span>
        <DiffParts pieces={compared.found} as="del" />
      </p>
      {isWrong ? (
        <p class="found-line">
          <span class="found-caption">expected{suffix}</span>
          <DiffParts pieces={compared.expected} as="ins" />
        </p>
      ) : null}
    </div>
  );
}

function DiffParts({ pieces, as: Mark }: { pieces: DiffPart[]; as: "del" | "ins" }) {
  return (
    <code>
      {pieces.map(({ text, differs }, i) => {
        const key = `${i} ${text}`;
        return differs ? <Mark key={key}>{text}</Mark> : <span key={key}>{text}</span>;
      })}
    </code>
  );
}
