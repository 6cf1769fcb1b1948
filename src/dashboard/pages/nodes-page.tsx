/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The nodes that share the database: what each does, and the operator's actions to drain one and to let it claim again.
 */
import type { NodeReport } from "../../spool/port/nodes.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Badge, ConfirmButtons, EmptyState, Notice, PostForm, RelativeTime, Table } from "../views/components.tsx";
import { countText, type Label, noticeText, plural, type Tone } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";

const NOTICES: Record<string, { tone: Tone; text: string }> = {
  draining: {
    tone: "good",
    text: "The node drains: it completes the attempts in progress, and its other work goes to the other nodes.",
  },
  resumed: { tone: "good", text: "The node sends again." },
  last: { tone: "bad", text: "Nothing was changed: no other node would send. Start another node first." },
  gone: { tone: "warn", text: "Nothing was changed: the node has ended meanwhile, or was resumed already." },
};

const NOTICE_TEXTS = Object.fromEntries(Object.entries(NOTICES).map(([name, { text }]) => [name, text]));

const STATE_LABELS: Readonly<Record<NodeReport["state"], Label>> = {
  live: { text: "Live", tone: "good" },
  draining: { text: "Draining", tone: "wait" },
  drained: { text: "Drained", tone: "quiet" },
  expired: { text: "No heartbeat", tone: "bad" },
};

export interface NodesState {
  /** Null where the spool belongs to one process. */
  nodes: NodeReport[] | null;
  /** The node that renders the page; null if it is none. */
  ownName: string | null;
  nowMs: number;
  /** The name of the notice to show; unknown names show none. */
  done?: string;
}

/** Changes whenever the page does, except for its relative times. */
export const nodesVersion = ({ nodes }: Pick<NodesState, "nodes">): string => JSON.stringify(nodes);

export function nodesPage(auth: AuthContext, state: NodesState): string {
  const { nodes, done } = state;
  const notice = noticeText(NOTICE_TEXTS, done);
  return signedInPage(auth, "/operator/nodes", {
    title: "Nodes",
    children: (
      <>
        <h1>Nodes</h1>
        {notice === undefined ? null : <Notice tone={NOTICES[done ?? ""]?.tone ?? "good"}>{notice}</Notice>}
        {nodes === null ? <OneService /> : <NodeList auth={auth} state={state} nodes={nodes} />}
      </>
    ),
  });
}

function OneService() {
  return (
    <EmptyState title="This installation is one service">
      <p>
        Its messages are in files on this server. With a PostgreSQL database (<code>DATABASE_URL</code>), several nodes
        share the work, and this page lists them.
      </p>
    </EmptyState>
  );
}

function NodeList({ auth, state, nodes }: { auth: AuthContext; state: NodesState; nodes: NodeReport[] }) {
  const delivered = nodes.reduce((sum, node) => sum + node.deliveredLastMinute, 0);
  return (
    <div data-live="/dashboard/operator/nodes/state" data-version={nodesVersion(state)} id="nodes">
      <p class="lead">
        {plural(nodes.length, "node")} on one database: {plural(delivered, "recipient")} delivered in the last minute.
      </p>
      <Table
        label="Nodes"
        class="stacked"
        head={["Node", "State", "Last heartbeat", "Leases", "Delivered", "Sends from", "Actions"]}
      >
        {nodes.map((node) => (
          <Row key={`${node.name} ${node.startedAtMs}`} node={node} auth={auth} state={state} />
        ))}
      </Table>
    </div>
  );
}

function Row({ node, auth, state: { ownName, nowMs } }: { node: NodeReport; auth: AuthContext; state: NodesState }) {
  const { name, address, version, sendingIps } = node;
  return (
    <tr>
      <th scope="row">
        {name}
        {name === ownName ? <span class="quiet"> (this one)</span> : null}
        <div class="quiet">
          {address} · {version}
        </div>
      </th>
      <td>
        <Badge label={STATE_LABELS[node.state]} />
      </td>
      <td class="nowrap" data-label="Last heartbeat">
        <RelativeTime atMs={Math.min(node.heartbeatAtMs, nowMs)} nowMs={nowMs} />
      </td>
      <td class="number" data-label="Leases">
        {countText(node.leases)}
      </td>
      <td class="number nowrap" data-label="Delivered">
        {countText(node.deliveredLastMinute)} <span class="quiet">a minute</span>
      </td>
      <td data-label="Sends from">
        {sendingIps.length === 0 ? "–" : sendingIps.map((ip) => <div key={ip}>{ip}</div>)}
      </td>
      <td>
        <Action node={node} auth={auth} />
      </td>
    </tr>
  );
}

function Action({ node: { name, state, isDraining }, auth }: { node: NodeReport; auth: AuthContext }) {
  if (state === "expired") return null;
  if (!isDraining) {
    return (
      <a
        class="button small"
        href={`/dashboard/operator/nodes/drain?name=${encodeURIComponent(name)}`}
        aria-label={`Drain: ${name}`}
      >
        Drain …
      </a>
    );
  }
  return (
    <PostForm action="/dashboard/operator/nodes/resume" formToken={auth.formToken} entry={{ name }}>
      <button type="submit" class="small" aria-label={`Resume: ${name}`}>
        Resume
      </button>
    </PostForm>
  );
}

/** What becomes of the recipients that a node leases. */
function leasesText(leases: number): string {
  if (leases === 0) return "It leases no recipients now.";
  if (leases === 1) return "The recipient that it leases goes to the other nodes, unless its attempt is in progress.";
  const all = plural(leases, "recipient");
  return `The ${all} that it leases go to the other nodes, except those whose attempts are in progress.`;
}

/** Asks the operator to confirm. */
export function drainPage(auth: AuthContext, { name, leases }: Pick<NodeReport, "name" | "leases">): string {
  return signedInPage(auth, "/operator/nodes/drain", {
    title: `Drain ${name}`,
    children: (
      <>
        <h1>Drain {name}?</h1>
        <p>
          The node completes its attempts in progress and sends nothing more. {leasesText(leases)} The other nodes take
          over its recurring tasks. It still accepts messages, for the other nodes, but <code>/readyz</code> returns
          503, so a load balancer sends no more requests to it.
        </p>
        <p>Drain a node before you stop its host for long. It sends again when you resume it, or restart it.</p>
        <section class="card narrow">
          <PostForm action="/dashboard/operator/nodes/drain" formToken={auth.formToken}>
            <input type="hidden" name="name" value={name} />
            <ConfirmButtons text={`Drain ${name}`} back="/dashboard/operator/nodes" />
          </PostForm>
        </section>
      </>
    ),
  });
}
