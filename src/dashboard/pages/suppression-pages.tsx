/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * Addresses that are not tried because they were refused as not existing at different times, and how to try one again. Which
 * refusals count is message/suppression.ts's.
 */
import type { SuppressedAddress } from "../../spool/port/suppressions.ts";
import type { Visit } from "../auth/sessions.ts";
import { Ago, Empty, Moment, Notice, PostForm, Table } from "../views/components.tsx";
import { signedInPage } from "../views/layout.tsx";
import { field } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import type { Pages } from "./routes.ts";

const SHOWN_MAX = 500;

export function createSuppressedPages({ spool, sending, clock }: DashboardParts): Pages {
  return {
    "GET /suppressed": async (ctx, visit) => {
      const nowMs = clock.now();
      const accountId = visit.account.id;
      const after = sending.suppressAfter;
      const addresses = await spool.suppressions({ accountId, after, nowMs, limit: SHOWN_MAX });
      return suppressedPage(visit, { addresses, after, nowMs, done: ctx.query.done === "forgotten" });
    },

    "POST /suppressed/forget": async (ctx, visit) => {
      if (!(await spool.unsuppress(visit.account.id, field(ctx, "email")))) throw notFound();
      ctx.redirect("/dashboard/suppressed?done=forgotten");
    },
  };
}

interface SuppressedState {
  addresses: SuppressedAddress[];
  after: number;
  nowMs: number;
  done: boolean;
}

function suppressedPage(visit: Visit, { addresses, after, nowMs, done }: SuppressedState): string {
  return signedInPage(visit, "/messages/suppressed", {
    title: "Suppressed addresses",
    children: (
      <>
        <p class="crumbs">
          <a href="/dashboard/messages">Messages</a>
        </p>
        <h1>Suppressed addresses</h1>
        <p class="lead">
          {after === 0
            ? "This installation tries every address, however often it was refused."
            : `An address is not tried for a while once it was refused as not existing ${ruleText(after)} within 30 days: sending on would cost you reputation.`}
        </p>
        {done ? <Notice tone="good">The refusals are forgotten: the next message to it is tried.</Notice> : null}
        {addresses.length === 0 ? (
          <Empty title="No address is suppressed" />
        ) : (
          <Table label="Suppressed addresses" class="stacked" head={["Address", "Last words", "Until (UTC)", "Do"]}>
            {addresses.map((address) => (
              <Row key={address.email} visit={visit} address={address} nowMs={nowMs} />
            ))}
          </Table>
        )}
      </>
    ),
  });
}

/** As message/suppression.ts has it. */
function ruleText(after: number): string {
  if (after === 1) return "once";
  const apart = `${after} times at least 8 hours apart`;
  return after === 2 ? apart : `${apart}, or ${after - 1} times over at least 24 hours,`;
}

function Row({ visit, address, nowMs }: { visit: Visit; address: SuppressedAddress; nowMs: number }) {
  const last = address.refusals.at(-1);
  return (
    <tr>
      <th scope="row">{address.email}</th>
      <td class="wide-cell">
        {last === undefined ? null : (
          <>
            <q class="said">
              {[last.code, last.enhanced_code].filter(Boolean).join(" ")} {last.message}
            </q>{" "}
            {last.mx}, <Ago atMs={last.at_ms} nowMs={nowMs} />
          </>
        )}
      </td>
      <td data-label="Until">
        <Moment atMs={address.untilMs} />
      </td>
      <td>
        <PostForm action="/dashboard/suppressed/forget" formToken={visit.formToken}>
          <input type="hidden" name="email" value={address.email} />
          <button type="submit" class="small" aria-label={`Try again: ${address.email}`}>
            Try again
          </button>
        </PostForm>
      </td>
    </tr>
  );
}
