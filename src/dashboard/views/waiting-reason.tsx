/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The reason why the recipients of a domain wait, with the server's reply.
 */
import { explain } from "../../message/explanation.ts";
import type { WaitingDomain } from "../../spool/port/reports.ts";
import { ReplyQuote } from "./components.tsx";

/** `none` is shown for a paused domain without recipients. */
export function WaitingReason({ entry, none }: { entry: WaitingDomain; none: string }) {
  const { waiting, reason, category, smtp } = entry;
  return (
    <>
      {reason !== null ? explain(reason, category) : waiting === 0 ? none : "Not attempted yet."}{" "}
      {smtp === null ? null : <ReplyQuote reply={{ code: smtp.code, message: smtp.message }} />}
    </>
  );
}
