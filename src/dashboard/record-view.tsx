/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * One check of a domain: how it stands, the record to publish, and what was found beside what was expected.
 */
import type { CheckName, DomainCheck } from "../spool/registry.ts";
import { difference, type Piece } from "./difference.ts";
import type { RecordToPublish } from "./parts.ts";
import { Ago, Badge, Copyable } from "./pieces.tsx";
import { CHECK_STATE_WORDS, CHECK_WORDS } from "./words.ts";

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

export function CheckView({ record, check, nowMs }: CheckViewProps) {
  // A check that has looked knows what belongs there beside what is there already.
  const wanted = record.type === "TXT" && check.expected !== "" ? { ...record, value: check.expected } : record;
  const shown = check.state === "verified" ? "check verified" : "check";
  return (
    <section class={`card ${shown}`} id={`check-${record.check}`} aria-labelledby={`check-${record.check}-title`}>
      <div class="check-head">
        <h3 id={`check-${record.check}-title`}>
          {CHECK_WORDS[record.check]} <span class="check-purpose">{CHECK_PURPOSES[record.check]}</span>
        </h3>
        <Badge word={CHECK_STATE_WORDS[check.state]} />
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
      {check.state === "verified" ? (
        <details>
          <summary>The record</summary>
          <RecordRows record={wanted} />
          <Found check={check} />
        </details>
      ) : (
        <>
          <RecordRows record={wanted} />
          <Found check={check} />
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
function Found({ check }: { check: DomainCheck }) {
  if (check.checkedAtMs === null || check.state === "temporary_failure") return null;
  const others = check.found.filter((text) => text !== check.expected);
  if (check.state === "verified" && others.length === 0) return null;
  return (
    <div class="found">
      <p class="found-title">{check.found.length === 0 ? "Found: nothing" : "Found in DNS"}</p>
      {check.found.map((text) => {
        const compared = difference(check.expected, text);
        return (
          <div key={text} class="found-pair">
            <p class="found-line">
              <span class="found-who">found</span>
              <Pieces pieces={compared.found} as="del" />
            </p>
            {check.state === "verified" ? null : (
              <p class="found-line">
                <span class="found-who">expected</span>
                <Pieces pieces={compared.expected} as="ins" />
              </p>
            )}
          </div>
        );
      })}
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
