/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * One API request: how it was answered, why it failed, and a command that repeats it.
 */
import type { ApiKey } from "../../spool/port/api-keys.ts";
import type { RecordedRequest, RequestFault } from "../../spool/port/request-log.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Breakable, Copyable, Identifier, Table, Timestamp } from "../views/components.tsx";
import { BODY_VARIABLE, repeatedCommand } from "../views/curl-commands.ts";
import { KEY_VARIABLE } from "../views/example-request.ts";
import { plural } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { StateText } from "../views/list-rows.tsx";
import { durationText, requestedText, statusLabel } from "../views/request-table.tsx";

export interface RequestState {
  request: RecordedRequest;
  /** Null for a request without a key, and for a key that the account no longer has. */
  key: ApiKey | null;
  /** Base URL of the service, without a final slash. */
  url: string;
}

export function requestPage(auth: AuthContext, state: RequestState): string {
  const { request } = state;
  return signedInPage(auth, "/requests/one", {
    title: requestedText(request),
    children: (
      <>
        <p class="crumbs">
          <a href="/dashboard/requests">API requests</a>
        </p>
        <h1>
          {request.method} {request.method === "" ? requestedText(request) : <Identifier text={request.path} />}
        </h1>
        <Answer request={request} />
        <Facts state={state} />
        <Repeat state={state} />
      </>
    ),
  });
}

/** The status; of a failure also the code and what was wrong. */
function Answer({ request: { status, code, fault } }: Pick<RequestState, "request">) {
  return (
    <>
      <p class="badges">
        <StateText label={statusLabel(status)} />
        {code === null ? null : (
          <a href={`/errors#${code}`}>
            <code>{code}</code>
          </a>
        )}
      </p>
      {fault === undefined ? null : <Fault fault={fault} />}
    </>
  );
}

function Fault({ fault: { detail, errors, others } }: { fault: RequestFault }) {
  const [first] = errors;
  // The detail of several fields is their details in one line.
  const isRepeated = first !== undefined && detail.includes(first.detail);
  return (
    <>
      {isRepeated ? null : <p>{detail}</p>}
      {errors.length === 0 ? null : (
        <Table label="Fields at fault" head={["Field", "What is wrong"]}>
          {errors.map((error, i) => (
            <tr key={`${i}${error.field}`}>
              <th scope="row">
                <code>
                  <Breakable text={error.field} />
                </code>
              </th>
              <td>{error.detail}</td>
            </tr>
          ))}
        </Table>
      )}
      {others === 0 ? null : <p class="quiet">{plural(others, "more field")} at fault</p>}
    </>
  );
}

function Facts({ state: { request, key } }: { state: RequestState }) {
  const { id, atMs, keyId, durationMs, messageId } = request;
  return (
    <dl class="facts">
      <dt>Answered</dt>
      <dd>
        <Timestamp atMs={atMs} />
      </dd>
      <dt>Duration</dt>
      <dd>{durationText(durationMs)}</dd>
      <dt>API key</dt>
      <dd>{key === null ? (keyId ?? "None") : <a href={`/dashboard/keys/${key.id}`}>{key.name}</a>}</dd>
      <dt>X-Request-Id</dt>
      <dd>
        <Copyable text={id} label="request id" kind="id" hasIcon />
      </dd>
      {messageId === null ? null : (
        <>
          <dt>Message</dt>
          <dd>
            <a href={`/dashboard/messages/${messageId}`}>
              <Identifier text={messageId} />
            </a>
          </dd>
        </>
      )}
    </dl>
  );
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);

/** Nothing for a message by SMTP, and for a request whose whole path is not kept. */
function Repeat({ state: { request, url } }: { state: RequestState }) {
  const { method, path } = request;
  if (!METHODS.has(method) || path.includes("…")) return null;
  const command = repeatedCommand({ method, url: url + path });
  return (
    <section aria-labelledby="repeat">
      <h2 id="repeat">Repeat it with curl</h2>
      <Copyable text={command} label="curl command" block />
      <p class="quiet">
        Keys, bodies and queries of requests are not kept. Set <code>{KEY_VARIABLE}</code>
        {command.includes(BODY_VARIABLE) ? (
          <>
            {" "}
            and <code>{BODY_VARIABLE}</code>
          </>
        ) : null}
        , and add the query if the request had one.
      </p>
    </section>
  );
}
