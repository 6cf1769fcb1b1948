/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The table of all records that a domain publishes. Each has a row with its state and the fields of a DNS panel's form, and below
 * it what the check found and how to fix it, folded where there is nothing to do.
 */
import type { DomainCheck } from "../../spool/port/domains.ts";
import { Copyable, RelativeTime } from "./components.tsx";
import { FoundRecords } from "./found-records.tsx";
import { StateText } from "./list-rows.tsx";
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
            <td />
          </tr>
        </thead>
        {records.map((record) => (
          <RecordRows key={record.id} row={record} zone={zone} nowMs={nowMs} />
        ))}
      </table>
    </section>
  );
}

/** A record with nothing to do has one line; a control opens what its check found. */
function RecordRows({ row, zone, nowMs }: { row: PublishedRecord; zone: string; nowMs: number }) {
  const { id, title, label, record, fields } = row;
  const of = `of the ${title} record`;
  const hasIcon = isDone(row);
  return (
    <tbody class={`record ${label.tone} ${hasIcon ? "done" : ""}`} id={id}>
      <tr>
        <th scope="row">
          <span class="record-title">{title}</span> <StateText label={label} />
        </th>
        <td data-label="Type">
          <code>{record.type}</code>
        </td>
        <td data-label="Full name">
          <Copyable text={record.name} label={`full name ${of}`} hasIcon={hasIcon} />
        </td>
        <td data-label={`Name in ${zone}`}>
          <Copyable text={fields.relativeName} label={`name in the zone ${of}`} hasIcon={hasIcon} />
        </td>
        {fields.priority === null ? (
          <td class="empty-cell">–</td>
        ) : (
          <td data-label="Priority">
            <Copyable text={String(fields.priority)} label={`priority ${of}`} hasIcon={hasIcon} />
          </td>
        )}
        {fields.value === "" ? (
          <td class="empty-cell">–</td>
        ) : (
          <td data-label="Value">
            <Copyable text={fields.value} label={`value ${of}`} hasIcon={hasIcon} />
          </td>
        )}
        <td class="record-control">
          {hasIcon ? (
            <details>
              <summary>
                Details<span class="unseen"> of the check of {title}</span>
              </summary>
            </details>
          ) : null}
        </td>
      </tr>
      <tr class="record-finding">
        <td colSpan={7}>
          <Finding row={row} nowMs={nowMs} />
        </td>
      </tr>
    </tbody>
  );
}

function Finding({ row: { purpose, record, name, check }, nowMs }: { row: PublishedRecord; nowMs: number }) {
  return (
    <>
      <p class="quiet">{purpose}.</p>
      {check === null ? null : <CheckDetail check={check} nowMs={nowMs} />}
      <p class="hint">{record.note}</p>
      {check === null ? null : <FoundRecords check={check} name={name} />}
    </>
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
