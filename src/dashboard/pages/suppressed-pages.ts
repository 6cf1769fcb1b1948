/**
 * Routes of the suppressed email addresses: the list, the addition of some, the download, and the removal of one.
 * suppressed-list.tsx shows them.
 */
import type { Context } from "koa";
import { importSuppressions } from "../../app/suppressions/add-suppressions.ts";
import { exportSuppressions } from "../../app/suppressions/export-suppressions.ts";
import { isSuppressionCause, listSuppressions, removeSuppression } from "../../app/suppressions/suppression-list.ts";
import { SET_CAUSES, type SetCause } from "../../message/result/suppression.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { plural } from "../views/labels.ts";
import { field, fields, fileOf, rawField } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { Downloads } from "./downloads.ts";
import { timeOf } from "./message-search.ts";
import type { Pages } from "./routes.ts";
import { type Addition, allowAgainPage, type SuppressedSearch, suppressedPage } from "./suppressed-list.tsx";

export function createSuppressedPages(parts: DashboardParts): Pages {
  const pages = new SuppressedPages(parts);
  const downloads = new Downloads(parts);
  return {
    "GET /suppressed": (ctx, auth) => pages.list(ctx, auth),
    "GET /suppressed.csv": (ctx, auth) =>
      downloads.send(ctx, {
        accountId: auth.account.id,
        name: "suppressed-addresses",
        open: async () => exportSuppressions(parts.spool, { ...pages.filterOf(auth, searchOf(ctx)), format: "csv" }),
      }),
    "POST /suppressed/add": (ctx, auth) => pages.add(ctx, auth),
    "GET /suppressed/forget": async ({ query }, auth) => allowAgainPage(auth, selectedOf([query.email ?? []].flat())),
    "POST /suppressed/forget": async (ctx, auth) => {
      const emails = selectedOf(fields(ctx, "email"));
      let removed = 0;
      for (const email of emails)
        if (await removeSuppression(parts.spool, { accountId: auth.account.id, email })) removed += 1;
      if (removed === 0) throw notFound();
      ctx.redirect(`/dashboard/suppressed?done=forgotten${emails.length === 1 ? "" : `&removed=${removed}`}`);
    },
  };
}

/** Addresses of a page. */
const PAGE_ADDRESSES = 50;
/** No longer one is in the list (RFC 5321 §4.5.3.1.3). */
const ADDRESS_LENGTH_MAX = 320;

/** The addresses of a form, each once. Throws the 404 error for none, and for more than a page of them. */
function selectedOf(emails: readonly string[]): string[] {
  const selected = [...new Set(emails)].filter((email) => email !== "" && email.length <= ADDRESS_LENGTH_MAX);
  if (selected.length === 0 || selected.length > PAGE_ADDRESSES) throw notFound();
  return selected;
}

class SuppressedPages {
  readonly #parts: DashboardParts;

  constructor(parts: DashboardParts) {
    this.#parts = parts;
  }

  filterOf(auth: AuthContext, { text, cause }: SuppressedSearch) {
    const { sending, clock } = this.#parts;
    return {
      accountId: auth.account.id,
      suppressAfter: sending.suppressAfter,
      nowMs: clock.now(),
      ...(cause === "" ? {} : { cause }),
      ...(text === "" ? {} : { search: text }),
    };
  }

  async list(ctx: Context, auth: AuthContext, addition: Addition | null = null): Promise<string> {
    const search = addition === null ? searchOf(ctx) : NO_SEARCH;
    const filter = this.filterOf(auth, search);
    const { after } = ctx.query;
    const at = typeof after === "string" && addition === null ? { cursor: after } : {};
    const found = await listSuppressions(this.#parts.spool, { ...filter, ...at, limit: PAGE_ADDRESSES });
    if (found === "invalid_cursor") throw notFound();
    const { suppressAfter, nowMs } = filter;
    return suppressedPage(auth, { search, found, suppressAfter, nowMs, addition, done: doneOf(ctx) });
  }

  async add(ctx: Context, auth: AuthContext): Promise<unknown> {
    const text = rawField(ctx, "addresses");
    const [cause, until] = [field(ctx, "cause"), field(ctx, "until")];
    const nowMs = this.#parts.clock.now();
    const untilMs = timeOf(until);
    const typed = { text, cause, until };
    if (until !== "" && (untilMs === null || untilMs <= nowMs)) {
      return this.list(ctx, auth, { typed, result: null, fault: "The end must be a time in the future." });
    }
    const file = fileOf(ctx);
    const result = await importSuppressions(this.#parts.spool, octetsOf(file ?? Buffer.from(text)), {
      accountId: auth.account.id,
      nowMs,
      ...(isSetCause(cause) ? { cause } : {}),
      ...(untilMs === null ? {} : { untilMs }),
    });
    const isComplete = result.invalid === 0 && result.stopped === null && result.format !== null;
    if (!isComplete) return this.list(ctx, auth, { typed, result, fault: result.stopped });
    const { added, changed, already } = result;
    ctx.redirect(`/dashboard/suppressed?done=added&added=${added}&changed=${changed}&already=${already}`);
    return null;
  }
}

const CHUNK_OCTETS = 64 * 1024;

/** In chunks, so that other requests are served between them. */
async function* octetsOf(octets: Buffer): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < octets.length; at += CHUNK_OCTETS) yield octets.subarray(at, at + CHUNK_OCTETS);
}

const isSetCause = (text: string): text is SetCause => SET_CAUSES.some((cause) => cause === text);

const NO_SEARCH: SuppressedSearch = { text: "", cause: "" };

function searchOf({ query: { q, cause } }: Context): SuppressedSearch {
  return {
    text: typeof q === "string" ? q.trim() : "",
    cause: typeof cause === "string" && isSuppressionCause(cause) ? cause : "",
  };
}

const COUNT = /^\d{1,9}$/;

/** What was done before the page, as a sentence; null if nothing. */
function doneOf({ query: { done, added, changed, already, removed } }: Context): string | null {
  if (done === "forgotten" && typeof removed === "string" && COUNT.test(removed))
    return `${plural(Number(removed), "email address is", "email addresses are")} allowed again. The next message to each is attempted.`;
  if (done === "forgotten") return "Suppression lifted. The next message to this email address is attempted.";
  if (done !== "added") return null;
  const [first = "0", second = "0", third = "0"] = [added, changed, already].map((count) =>
    typeof count === "string" && COUNT.test(count) ? count : "0",
  );
  return `Suppressed: ${first} added, ${second} changed, ${third} already in the list.`;
}
