/** The document of the API reference in the dashboard: that of /openapi.json, and the parts of other services' APIs that are served (compat/). */
import { resendDocument } from "../compat/resend/document.ts";
import { openApiDocument, parametersOf } from "./openapi.ts";

export function referenceDocument() {
  const { components, paths, tags, ...document } = openApiDocument();
  const resend = resendDocument(parametersOf);
  return {
    ...document,
    tags: [...tags, resend.tag],
    paths: { ...paths, ...resend.paths },
    components: {
      ...components,
      headers: { ...components.headers, ...resend.headers },
      schemas: { ...components.schemas, ...resend.schemas },
    },
  };
}
