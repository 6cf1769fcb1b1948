/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * API requests as a table.
 */
import type { ApiRequest } from "../../spool/port/request-log.ts";
import { Identifier, Table, Timestamp } from "./components.tsx";
import { spanText, type Tone } from "./labels.ts";
import { StateText } from "./list-rows.tsx";

export interface RequestTableProps {
  requests: readonly ApiRequest[];
  /** The names of keys by their ids. */
  names: ReadonlyMap<string, string>;
}

const HEAD = ["Time", "Request", "Status", "API key", "Duration", "X-Request-Id"];

export function RequestTable({ requests, names }: RequestTableProps) {
  return (
    <Table label="API requests" class="stacked pairs requests" head={HEAD} numbers={["Duration"]}>
      {requests.map((request) => (
        <Row key={request.id} request={request} names={names} />
      ))}
    </Table>
  );
}

function Row({ request, names }: { request: ApiRequest; names: ReadonlyMap<string, string> }) {
  const { atMs, keyId, durationMs, id } = request;
  return (
    <tr>
      <td class="nowrap left small">
        <Timestamp atMs={atMs} />
      </td>
      <td class="requested left">
        <Requested request={request} />
      </td>
      <td class="right">
        <Status request={request} />
      </td>
      <td class="right small">{keyId === null ? "None" : (names.get(keyId) ?? keyId)}</td>
      <td class="number secondary">{durationMs === 0 ? "< 1 ms" : spanText(durationMs)}</td>
      <td class="nowrap secondary">
        <code>{id}</code>
      </td>
    </tr>
  );
}

function Requested({ request: { method, path, messageId } }: { request: ApiRequest }) {
  return (
    <>
      {method === "" ? (
        <span class="quiet">Not a well-formed HTTP request</span>
      ) : (
        <code>
          {method} <Identifier text={path} />
        </code>
      )}
      {messageId === null ? null : (
        <>
          {" "}
          <a href={`/dashboard/messages/${messageId}`} aria-label={`Message ${messageId}`}>
            Message
          </a>
        </>
      )}
    </>
  );
}

function Status({ request: { status, code } }: { request: ApiRequest }) {
  return (
    <span class="badges">
      <StateText label={{ text: String(status), tone: toneOf(status) }} />
      {code === null ? null : <code class="nowrap">{code}</code>}
    </span>
  );
}

function toneOf(status: number): Tone {
  if (status < 400) return "good";
  return status < 500 ? "warn" : "bad";
}
