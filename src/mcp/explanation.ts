/** Why a recipient has not got its message, in the words of the service. */
import { CATEGORIES, type Category } from "../message/result/category.ts";
import { adviceFor, explain, explainBounce } from "../message/result/explanation.ts";
import { RESULTS, type Result } from "../message/result/outcome.ts";
import { type Data, listIn } from "./tool.ts";

/** Null for a recipient that was delivered, and whose message has not come back. */
export function explanationOf(recipient: Data): Data | null {
  const {
    email,
    result,
    reason = null,
    attempts,
    next_attempt_at: next = null,
    smtp = null,
    bounce,
    complaint,
  } = recipient;
  if (result === "delivered" && bounce === undefined && complaint === undefined) return null;
  const category = categoryOf(recipient.category);
  return {
    email,
    result,
    reason,
    category: recipient.category ?? null,
    explanation: sentenceOf(recipient, category),
    what_to_do: adviceOf(recipient, category),
    last_reply: smtp,
    attempts,
    next_attempt_at: next,
    ...(bounce === undefined ? {} : { bounce }),
    ...(complaint === undefined ? {} : { complaint }),
  };
}

/** Null for one that this version does not know. */
const categoryOf = (text: unknown): Category | null => CATEGORIES.find((known) => known === text) ?? null;

const BOUNCED = "The recipient's server accepted the message, and it came back.";
const COMPLAINED = "The message was delivered, and the recipient reported it as spam.";
const NOT_TRIED = "No attempt has ended yet.";

/** The sentence in the history, where its last entry with this reason has one. */
function sentenceOf({ result, reason, events, bounce }: Data, category: Category | null): string {
  if (result === "delivered") {
    if (bounce === undefined) return COMPLAINED;
    const cause = categoryOf(bounce.category);
    return [BOUNCED, (cause && explainBounce(cause)) ?? ""].join(" ").trim();
  }
  const isDecisive = ({ type, reason: itsReason, detail }: Data): boolean =>
    typeof detail === "string" && (itsReason === reason || type === reason);
  const stored = listIn(events).findLast(isDecisive)?.detail;
  return stored ?? (typeof reason === "string" ? explain(reason, category) : NOT_TRIED);
}

function adviceOf({ result, reason, bounce }: Data, category: Category | null): string | null {
  const known: Result | undefined = RESULTS.find((each) => each === result);
  if (known === undefined) return null;
  if (known === "delivered") return bounce === undefined ? null : adviceFor("failed", categoryOf(bounce.category));
  return adviceFor(known, category, typeof reason === "string" ? reason : null);
}
