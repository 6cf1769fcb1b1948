/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The table of all records that a domain publishes. Each has a row with its state and the fields of a DNS panel's form, and below
 * it what the check found and how to fix it.
 */
import type { DomainCheck } from "../../spool/port/domains.ts";
import { Badge, Copyable, RelativeTime } from "./components.tsx";
import { FoundRecords } from "./found-records.tsx";
import { shortened } from "./long-words.ts";
import { isDone, type PublishedRecord } from "./published-records.ts";

export interface RecordTableProps {
  records: PublishedRecord[];
  zone: string;
  nowMs: number;
}

export function RecordTable({ records, zone, nowMs }: RecordTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section class="table records stacked" tabIndex={0} aria-label="Records to publish">
      <table>
        <thead>
          <tr>
            <th scope="col">Record</th>
            <th scope="col">Type</th>
            <th scope="col">Full name</th>
            <th scope="col">Name in {zone}</th>
            <th scope="col">Priority</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        {records.map((record) => (
          <RecordRows key={record.id} row={record} zone={zone} nowMs={nowMs} />
        ))}
      </table>
    </section>
  );
}

function RecordRows({ row, zone, nowMs }: { row: PublishedRecord; zone: string; nowMs: number }) {
  const { id, title, label, record, fields } = row;
  const of = `of the ${title} record`;
  return (
    <tbody class={`record ${label.tone}`} id={id}>
      <tr>
        <th scope="row">
          <span class="record-title">{title}</span>
          <Badge label={label} />
        </th>
        <td data-label="Type">
          <code>{record.type}</code>
        </td>
        <td data-label="Full name">
          <Copyable text={record.name} label={`full name ${of}`} />
        </td>
        <td data-label={`Name in ${zone}`}>
          <Copyable text={fields.relativeName} label={`name in the zone ${of}`} />
        </td>
        {fields.priority === null ? (
          <td class="empty-cell">–</td>
        ) : (
          <td data-label="Priority">
            <Copyable text={String(fields.priority)} label={`priority ${of}`} />
          </td>
        )}
        {fields.value === "" ? (
          <td class="empty-cell">–</td>
        ) : (
          <td data-label="Value">
            <Copyable text={fields.value} label={`value ${of}`} />
          </td>
        )}
      </tr>
      <tr class="record-finding">
        <td colSpan={6}>
          <Finding row={row} nowMs={nowMs} />
        </td>
      </tr>
    </tbody>
  );
}

/** Folded where there is nothing to do. */
function Finding({ row, nowMs }: { row: PublishedRecord; nowMs: number }) {
  const { purpose, record, name, check } = row;
  const content = (
    <>
      {check === null ? null : <CheckDetail check={check} nowMs={nowMs} />}
      <p class="hint">{record.note}</p>
      {check === null ? null : <FoundRecords check={check} name={name} />}
    </>
  );
  if (!isDone(row)) {
    return (
      <>
        <p class="quiet">{purpose}.</p>
        {content}
      </>
    );
  }
  return (
    <details>
      <summary>
        What the check found <span class="unseen">for {row.title}</span>
      </summary>
      <p class="quiet">{purpose}.</p>
      {content}
    </details>
  );
}

function CheckDetail({ check, nowMs }: { check: DomainCheck; nowMs: number }) {
  return (
    <p class="check-detail">
      {detailText(check)}
      {check.checkedAtMs === null ? null : (
        <span class="quiet">
          {" "}
          Checked <RelativeTime atMs={check.checkedAtMs} nowMs={nowMs} />.
        </span>
      )}
    </p>
  );
}

/** From this length on, a sentence refers to the value in the table instead of repeating it. */
const LONG_VALUE_LENGTH = 200;

/** The check's sentences. They name the value to publish, for readers who have no table. */
function detailText({ detail, expected }: Pick<DomainCheck, "detail" | "expected">): string {
  if (expected.length < LONG_VALUE_LENGTH) return shortened(detail);
  return shortened(
    detail.replaceAll(`the value ${expected}`, "the value above").replaceAll(expected, "the value above"),
  );
}
