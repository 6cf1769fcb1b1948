/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * One check of a domain: how it stands, the record to publish, and what was found beside what was expected.
 */

import { type CheckName, type DomainCheck, isWarned, type RecordToPublish } from "../../spool/port/domains.ts";
import { Ago, Badge, Copyable } from "./components.tsx";
import { difference, type Piece } from "./difference.ts";
import { CHECK_WORDS, checkWord } from "./labels.ts";

export const CHECK_PURPOSES: Readonly<Record<CheckName, string>> = {
  ownership: "shows that the domain is yours",
  mx: "takes replies and bounces",
  spf: "names the hosts that may send for it",
  dkim: "lets receivers check our signature",
  dmarc: "says what receivers do with forgeries",
};

export interface CheckViewProps {
  record: RecordToPublish;
  check: DomainCheck;
  nowMs: number;
}

/** The record as it should be published: a check that has looked corrects the one that is there already. */
export function wantedRecord(record: RecordToPublish, check: DomainCheck): RecordToPublish {
  if (check.expected === "") return record;
  return { ...record, name: check.expectedAt ?? record.name, value: check.expected, note: noteOf(record, check) };
}

function noteOf({ note }: RecordToPublish, { state, found, foundAt, expectedAt }: DomainCheck): string {
  if (state !== "failed" || found.length === 0) return note;
  if (foundAt !== undefined && foundAt !== expectedAt) return `Add it at this name, and delete the one at ${foundAt}.`;
  if (found.length > 1) return "This one record replaces those that are published: delete the others.";
  return "This replaces the published record: change that one instead of adding a second.";
}

export function CheckView({ record, check, nowMs }: CheckViewProps) {
  const wanted = wantedRecord(record, check);
  const isGood = check.state === "verified" && !isWarned(check);
  const isPublished = isGood || (isWarned(check) && check.found.includes(check.expected));
  const shown = isGood ? "check verified" : "check";
  return (
    <section class={`card ${shown}`} id={`check-${record.check}`} aria-labelledby={`check-${record.check}-title`}>
      <div class="check-head">
        <h3 id={`check-${record.check}-title`}>
          {CHECK_WORDS[record.check]} <span class="check-purpose">{CHECK_PURPOSES[record.check]}</span>
        </h3>
        <Badge word={checkWord(check)} />
      </div>
      <p class="check-detail">
        {check.detail}
        {check.checkedAtMs === null ? null : (
          <span class="quiet">
            {" "}
            Checked <Ago atMs={check.checkedAtMs} nowMs={nowMs} />.
          </span>
        )}
      </p>
      {isPublished ? (
        <details>
          <summary>The record</summary>
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

/** Type, name and value, each to be copied. */
export function RecordRows({ record }: { record: RecordToPublish }) {
  const what = `of the ${CHECK_WORDS[record.check]} record`;
  return (
    <>
      <dl class="record">
        <dt>Type</dt>
        <dd>
          <code>{record.type}</code>
        </dd>
        <dt>Name</dt>
        <dd>
          <Copyable text={record.name} label={`name ${what}`} />
        </dd>
        <dt>Value</dt>
        <dd>
          <Copyable text={record.value} label={`value ${what}`} />
        </dd>
      </dl>
      <p class="hint">{record.note}</p>
    </>
  );
}

/** Nothing where the check has not looked yet, or what it found is what it expected. */
function Found({ check, name }: { check: DomainCheck; name: string }) {
  if (check.checkedAtMs === null || check.state === "temporary_failure") return null;
  const others = check.found.filter((text) => text !== check.expected);
  if (check.state === "verified" && others.length === 0) return null;
  const { foundAt, expectedAt = name } = check;
  const isElsewhere = foundAt !== undefined && foundAt !== expectedAt;
  return (
    <div class="found">
      <p class="found-title">{check.found.length === 0 ? "Found: nothing" : "Found in DNS"}</p>
      {isElsewhere ? <Compared expected={expectedAt} found={foundAt} what=" at" isWrong /> : null}
      {check.found.map((text) => (
        <Compared
          key={text}
          expected={check.expected}
          found={text}
          isWrong={text !== check.expected && (check.state !== "verified" || isWarned(check))}
        />
      ))}
    </div>
  );
}

interface ComparedProps {
  expected: string;
  found: string;
  /** What is compared, behind "found" and "expected". */
  what?: string;
  /** Whether the expected text is shown too. */
  isWrong: boolean;
}

function Compared({ expected, found, what = "", isWrong }: ComparedProps) {
  const compared = isWrong ? difference(expected, found) : { found: [{ text: found, differs: false }], expected: [] };
  return (
    <div class="found-pair">
      <p class="found-line">
        <span class="found-who">found{what}</span>
        <Pieces pieces={compared.found} as="del" />
      </p>
      {isWrong ? (
        <p class="found-line">
          <span class="found-who">expected{what}</span>
          <Pieces pieces={compared.expected} as="ins" />
        </p>
      ) : null}
    </div>
  );
}

function Pieces({ pieces, as: Mark }: { pieces: Piece[]; as: "del" | "ins" }) {
  return (
    <code>
      {pieces.map(({ text, differs }, i) => {
        const key = `${i} ${text}`;
        return differs ? <Mark key={key}>{text}</Mark> : <span key={key}>{text}</span>;
      })}
    </code>
  );
}
