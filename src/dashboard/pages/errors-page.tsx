/** @jsxRuntime automatic @jsxImportSource preact */
/** The page of the API's errors. Its readers have followed `type` of a problem to the entry of its code. */
import type { ComponentChildren } from "preact";
import { plainPage } from "../views/layout.tsx";
import { LinkedText } from "../views/linked-text.tsx";

/** Texts have names of fields and codes between backticks. */
export interface ShownProblem {
  code: string;
  status: number;
  title: string;
  /** A clause. */
  meaning: string;
  /** Sentences. */
  action: string;
  retry: "no" | "soon" | "later";
}

const RETRIES: Readonly<Record<ShownProblem["retry"], string>> = {
  no: "Do not retry the same request: it fails again until the cause is removed.",
  soon: "Retry with growing pauses, a send with the same `Idempotency-Key`.",
  later: "Retry after `retry_after` seconds, a send with the same `Idempotency-Key`.",
};

export function errorsPage(problems: readonly ShownProblem[]): string {
  return plainPage({
    title: "Errors of the API",
    children: (
      <>
        <h1>Errors of the API</h1>
        <p>
          An error names its code as <code>code</code>. Its <code>detail</code> says what is wrong with the request.
        </p>
        {problems.map((problem) => (
          <Entry key={problem.code} problem={problem} />
        ))}
      </>
    ),
  });
}

function Entry({ problem: { code, status, title, meaning, action, retry } }: { problem: ShownProblem }) {
  return (
    <section id={code}>
      <h2>
        <code>{code}</code>
      </h2>
      <p>
        {status} {title}: {withCode(meaning)}.
      </p>
      <p>
        {withCode(action)} {withCode(RETRIES[retry])}
      </p>
    </section>
  );
}

const withCode = (text: string): ComponentChildren =>
  text
    .split("`")
    .map((part, i) => (i % 2 === 1 ? <code key={part}>{part}</code> : <LinkedText key={part} text={part} />));
