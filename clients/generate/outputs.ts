/** The files that are generated, by their paths from the root of the checkout. */
import { openApiDocument } from "../../src/http/openapi.ts";
import type { ApiDocument } from "./model.ts";
import { pythonOperations, pythonTypes } from "./python.ts";
import { typescriptOperations, typescriptTypes } from "./typescript.ts";

export function generatedClients(): ReadonlyMap<string, string> {
  const document = openApiDocument() as unknown as ApiDocument;
  return new Map([
    ["clients/typescript/src/generated/types.ts", typescriptTypes(document)],
    ["clients/typescript/src/generated/operations.ts", typescriptOperations(document)],
    ["clients/python/postrider/types.py", pythonTypes(document)],
    ["clients/python/postrider/_operations.py", pythonOperations(document)],
  ]);
}
