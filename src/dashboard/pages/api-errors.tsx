/** @jsxRuntime automatic @jsxImportSource preact */
/** The errors in the API reference: for each code its cause, what to do, and when to retry. Operations link to its rows. */
import { ProseText } from "../views/api-fields.tsx";
import { ApiFrame } from "../views/api-frame.tsx";
import { ApiObject, ExampleText, examplesOf, isError } from "../views/api-operation.tsx";
import { Table } from "../views/components.tsx";
import type { PageProps } from "../views/layout.tsx";
import { type ApiDocument, groupsOf, PROBLEM } from "../web/api-document.ts";
import { RETRIES, type ShownProblem } from "../web/shown-problem.ts";

/** Whether every word of the search is in the texts of an error. */
export function isProblemFound({ code, status, title, meaning, action }: ShownProblem, words: readonly string[]) {
  const text = [code, status, title, meaning, action].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}

export function apiErrorsPage(api: ApiDocument, problems: readonly ShownProblem[]): PageProps {
  return {
    title: "Errors (API reference)",
    children: (
      <ApiFrame>
        <h1>Errors</h1>
        <p class="lead">
          An error names its code as <code>code</code>. Its <code>detail</code> says what is wrong with the request, and
          its <code>type</code> is the address of the code's entry on a page of this service that needs no sign-in.
        </p>
        <Table label="Errors" head={["Code", "Status", "Cause", "What to do"]} class="stacked">
          {problems.map(({ code, status, title, meaning, action, retry }) => (
            <tr key={code} id={code}>
              <th scope="row">
                <code>{code}</code>
              </th>
              <td data-label="Status">
                {status} {title}
              </td>
              <td class="wide-cell">
                <ProseText text={`${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}`} />.
              </td>
              <td class="wide-cell">
                <ProseText text={action} /> <ProseText text={RETRIES[retry]} />
              </td>
            </tr>
          ))}
        </Table>
        <div class="card">
          <ApiObject api={api} name={PROBLEM} />
          <p class="hint">Example</p>
          <ExampleText value={problemExample(api)} />
        </div>
      </ApiFrame>
    ),
  };
}

/** The first example of an error. */
function problemExample(api: ApiDocument): unknown {
  const responses = groupsOf(api).flatMap(({ operations }) =>
    operations.flatMap((each) => Object.entries(each.responses)),
  );
  const [found] = responses.flatMap(([status, response]) =>
    isError(status) ? examplesOf(response).map(([, { value }]) => value) : [],
  );
  return found;
}
