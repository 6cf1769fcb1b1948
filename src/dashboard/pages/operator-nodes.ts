/** The operator's routes for the nodes of a database: show, drain, resume. */
import type { Context } from "koa";
import type { Nodes } from "../../spool/port/nodes.ts";
import { field } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { drainPage, type NodesState, nodesPage, nodesVersion } from "./nodes-page.tsx";
import type { Pages } from "./routes.ts";

type NodeParts = Pick<DashboardParts, "nodes" | "clock">;

export function createOperatorNodes(parts: NodeParts): Pages {
  return {
    "GET /operator/nodes": async (ctx, auth) =>
      nodesPage(auth, { ...(await stateOf(parts)), done: String(ctx.query.done) }),
    "GET /operator/nodes/state": async (ctx) => {
      ctx.body = { version: nodesVersion(await stateOf(parts)) };
    },
    "GET /operator/nodes/drain": async (ctx, auth) => {
      const node = (await nodesOf(parts).list()).find(({ name }) => name === ctx.query.name);
      return node === undefined ? redirect(ctx, "gone") : drainPage(auth, node);
    },
    "POST /operator/nodes/drain": async (ctx) => {
      const { type } = await nodesOf(parts).drain(field(ctx, "name"));
      redirect(ctx, { draining: "draining", last_node: "last", unknown_node: "gone" }[type]);
    },
    "POST /operator/nodes/resume": async (ctx) => {
      const { type } = await nodesOf(parts).resume(field(ctx, "name"));
      redirect(ctx, type === "resumed" ? "resumed" : "gone");
    },
  };
}

async function stateOf({ nodes, clock }: NodeParts): Promise<Omit<NodesState, "done">> {
  const listed = nodes === null ? null : await nodes.list();
  return { nodes: listed, ownName: nodes?.own?.name ?? null, nowMs: clock.now() };
}

function nodesOf({ nodes }: NodeParts): Nodes {
  if (nodes === null) throw notFound();
  return nodes;
}

const redirect = (ctx: Context, done: string): void => ctx.redirect(`/dashboard/operator/nodes?done=${done}`);
