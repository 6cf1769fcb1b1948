/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * Suppressed email addresses: those that are not attempted because recipient servers have repeatedly rejected them as
 * nonexistent, or because their owner complained or unsubscribed. Which rejections count is decided by message/result/suppression.ts.
 */
import { SUPPRESSION_NAMES } from "../../message/result/explanation.ts";
import type { SuppressedAddress } from "../../spool/port/suppressions.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { EmptyState, Notice, PostForm, RelativeTime, ReplyQuote, Table, Timestamp } from "../views/components.tsx";
import { signedInPage } from "../views/layout.tsx";
import { field } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import type { Pages } from "./routes.ts";

const SHOWN_MAX = 500;

export function createSuppressedPages({ spool, sending, clock }: DashboardParts): Pages {
  return {
    "GET /suppressed": async (ctx, auth) => {
      const nowMs = clock.now();
      const accountId = auth.account.id;
      const after = sending.suppressAfter;
      const addresses = await spool.suppressions({ accountId, after, nowMs, limit: SHOWN_MAX });
      return suppressedPage(auth, { addresses, after, nowMs, done: ctx.query.done === "forgotten" });
    },

    "POST /suppressed/forget": async (ctx, auth) => {
      if (!(await spool.unsuppress(auth.account.id, field(ctx, "email")))) throw notFound();
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

function suppressedPage(auth: AuthContext, { addresses, after, nowMs, done }: SuppressedState): string {
  return signedInPage(auth, "/messages/suppressed", {
    title: "Suppressed addresses",
    children: (
      <>
        <p class="crumbs">
          <a href="/dashboard/messages">Messages</a>
        </p>
        <h1>Suppressed addresses</h1>
        <p class="lead">
          {after === 0
            ? "This installation attempts an email address however often it was rejected as nonexistent (SUPPRESS_AFTER=0)."
            : `An email address is not attempted for a while after recipient servers have rejected it as nonexistent ${ruleText(after)} within 30 days. Further attempts would harm your sender reputation.`}{" "}
          An email address whose owner marked a message as spam or unsubscribed is not attempted until you allow it
          again.
        </p>
        {done ? (
          <Notice tone="good">Suppression lifted. The next message to this email address is attempted.</Notice>
        ) : null}
        {addresses.length === 0 ? (
          <EmptyState title="No suppressed addresses">
            <p>Messages to all email addresses are attempted.</p>
          </EmptyState>
        ) : (
          <Table label="Suppressed addresses" class="stacked" head={["Email address", "Cause", "Until", "Action"]}>
            {addresses.map((address) => (
              <Row key={address.email} auth={auth} address={address} nowMs={nowMs} />
            ))}
          </Table>
        )}
      </>
    ),
  });
}

/** Describes the rule of message/result/suppression.ts. */
function ruleText(after: number): string {
  if (after === 1) return "once";
  const apart = `${after} times at least 8 hours apart`;
  return after === 2 ? apart : `${apart}, or ${after - 1} times over at least 24 hours,`;
}

const causeText = (cause: SuppressedAddress["cause"]): string => {
  const name = SUPPRESSION_NAMES[cause];
  return name.charAt(0).toUpperCase() + name.slice(1);
};

function Row({ auth, address, nowMs }: { auth: AuthContext; address: SuppressedAddress; nowMs: number }) {
  const last = address.refusals.at(-1);
  return (
    <tr>
      <th scope="row">{address.email}</th>
      <td class="wide-cell">
        {causeText(address.cause)}
        {last === undefined ? null : (
          <>
            : <ReplyQuote reply={last} /> {last.mx}, <RelativeTime atMs={last.at_ms} nowMs={nowMs} />
          </>
        )}
      </td>
      <td data-label="Until">
        {address.untilMs === null ? "You allow it again" : <Timestamp atMs={address.untilMs} />}
      </td>
      <td>
        <PostForm action="/dashboard/suppressed/forget" formToken={auth.formToken} entry={{ email: address.email }}>
          <button type="submit" class="small" aria-label={`Allow again: ${address.email}`}>
            Allow again
          </button>
        </PostForm>
      </td>
    </tr>
  );
}
