/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * API requests as a table. The row leads to the page of the request.
 */
import type { ApiRequest } from "../../spool/port/request-log.ts";
import { Table, Timestamp } from "./components.tsx";
import { type Label, spanText, type Tone } from "./labels.ts";
import { RowLink, StateText } from "./list-rows.tsx";

export interface RequestTableProps {
  requests: readonly ApiRequest[];
  /** The names of keys by their ids. */
  names: ReadonlyMap<string, string>;
}

const HEAD = ["Time", "Request", "Status", "API key", "Duration"];

export function RequestTable({ requests, names }: RequestTableProps) {
  return (
    <Table label="API requests" class="stacked linked pairs requests" head={HEAD} numbers={["Duration"]}>
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
        <div class="line">
          <RowLink href={requestPath(id)} title={`${requestedText(request)}\n${id}`}>
            {request.method === "" ? requestedText(request) : <code>{requestedText(request)}</code>}
          </RowLink>
          <MessageLink request={request} />
        </div>
      </td>
      <td class="right">
        <Status request={request} />
      </td>
      <td class="right small key">
        <KeyName name={keyId === null ? "None" : (names.get(keyId) ?? keyId)} />
      </td>
      <td class="number secondary">{durationText(durationMs)}</td>
    </tr>
  );
}

const KeyName = ({ name }: { name: string }) => (
  <span class="cut" title={name}>
    {name}
  </span>
);

function MessageLink({ request: { messageId } }: { request: ApiRequest }) {
  if (messageId === null) return null;
  return (
    <a class="whole secondary" href={`/dashboard/messages/${messageId}`} aria-label={`Message ${messageId}`}>
      Message
    </a>
  );
}

function Status({ request: { status, code } }: { request: ApiRequest }) {
  return (
    <span class="badges">
      <StateText label={statusLabel(status)} />
      {code === null ? null : <code class="cut">{code}</code>}
    </span>
  );
}

export const requestPath = (id: string): string => `/dashboard/requests/${encodeURIComponent(id)}`;

export const requestedText = ({ method, path }: Pick<ApiRequest, "method" | "path">): string =>
  method === "" ? "Not a well-formed HTTP request" : `${method} ${path}`;

export const durationText = (durationMs: number): string => (durationMs === 0 ? "< 1 ms" : spanText(durationMs));

export const statusLabel = (status: number): Label => ({ text: String(status), tone: toneOf(status) });

function toneOf(status: number): Tone {
  if (status < 400) return "good";
  return status < 500 ? "warn" : "bad";
}
