/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The page of the API's errors outside the dashboard. Its readers have followed `type` of a problem to the entry of its code. The API
 * reference has the same as a table (api-errors.tsx).
 */
import { ProseText } from "../views/api-fields.tsx";
import { plainPage } from "../views/layout.tsx";
import { RETRIES, type ShownProblem } from "../web/shown-problem.ts";

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
        {status} {title}: <ProseText text={meaning} />.
      </p>
      <p>
        <ProseText text={action} /> <ProseText text={RETRIES[retry]} />
      </p>
    </section>
  );
}
