/** The description of Resend's API in the API reference: as the routes, the readers of requests and Resend's own document have it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import Router from "@koa/router";
import { Ajv2020 } from "ajv/dist/2020.js";
import { resendDocument } from "../../../src/compat/resend/document.ts";
import { ENDPOINTS, pathsOf } from "../../../src/compat/resend/endpoints.ts";
import { addManagementRoutes } from "../../../src/compat/resend/manage-routes.ts";
import { addResendRoutes, type ResendParts } from "../../../src/compat/resend/routes.ts";
import { validateResendRequest } from "../../../src/compat/resend/send-request.ts";
import type { ManageRoutes } from "../../../src/http/manage/routes.ts";
import { referenceDocument } from "../../../src/http/reference-document.ts";
import { RESPONSES, SEND_EMAIL_REQUEST } from "../../support/resend-schemas.ts";

interface Content {
  content?: { "application/json": { schema: object; example: unknown } };
}

interface Operation {
  requestBody?: Content;
  responses: Record<string, Content>;
}

const { paths, schemas } = resendDocument(() => []) as unknown as {
  paths: Record<string, Record<string, Operation>>;
  schemas: Record<string, object>;
};

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path.replace("/compat/resend", "")}`,
    operation,
  })),
);

test("each route of Resend's API is described, and nothing else", () => {
  const router = new Router();
  const guard = () => async () => {};
  addResendRoutes(router, { spool: {}, sending: guard, listing: guard, changing: guard } as unknown as ResendParts);
  addManagementRoutes(router, { guarded: guard } as unknown as ManageRoutes);
  const served = router.stack.flatMap(({ methods, path }) =>
    methods.filter((method) => method !== "HEAD").map((method) => `${method} ${String(path).replace(":id", "{id}")}`),
  );
  const described = Object.values(ENDPOINTS).flatMap(({ method, path }) =>
    pathsOf(path).map((each) => `${method} ${each}`),
  );
  assert.deepEqual(served.toSorted(), described.toSorted());
  assert.deepEqual(
    operations.map(({ name }) => name).toSorted(),
    [...Object.values(ENDPOINTS).map(({ method, path }) => `${method} ${path}`)].toSorted(),
  );
});

const ajv = new Ajv2020({ strictSchema: false, strictTypes: false, allErrors: true });
ajv.addFormat("date-time", true);
ajv.addSchema(referenceDocument(), "reference");

/** Fails unless a value is valid, without further members. */
function hold(schema: object, value: unknown, where: string): void {
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"reference#/components')) as object;
  const validate = ajv.compile({ ...absolute, unevaluatedProperties: false });
  assert.ok(validate(value), `${where}: ${JSON.stringify(validate.errors)}`);
}

test("the examples are valid by the described schemas and by Resend's", () => {
  for (const { name, operation } of operations) {
    const contents = [operation.requestBody, ...Object.values(operation.responses)].flatMap((each) =>
      each?.content === undefined ? [] : [each.content["application/json"]],
    );
    for (const { schema, example } of contents) hold(schema, example, name);
    const own = (RESPONSES as Record<string, object>)[name];
    const [success] = Object.entries(operation.responses).find(([status]) => status.startsWith("2")) ?? assert.fail();
    const example = operation.responses[success]?.content?.["application/json"].example;
    if (own !== undefined) assert.ok(ajv.compile(own)(example), `${name}: Resend's schema`);
  }
});

test("a request to send has the described fields: each is read, and no other", () => {
  const { properties } = schemas.ResendEmailRequest as { properties: Record<string, object> };
  const example = operations.find(({ name }) => name === "POST /emails")?.operation.requestBody?.content;
  const request = example?.["application/json"].example as object;
  const limits = { recipientsMax: 50, messageBytesMax: 1_000_000, nowMs: 0, maxAgeMs: 1 };
  const faultsOf = (fields: object): string[] => {
    const result = validateResendRequest({ ...request, ...fields }, limits as never);
    return result.type === "valid" ? [] : result.errors.map(({ field, detail }) => `${field}: ${detail}`);
  };
  assert.deepEqual(faultsOf({}), []);
  for (const name of Object.keys(properties)) {
    assert.doesNotMatch(faultsOf({ [name]: 7 }).join(" "), /unknown/, name);
  }
  for (const name of Object.keys(SEND_EMAIL_REQUEST.properties).filter((each) => properties[each] === undefined)) {
    assert.match(faultsOf({ [name]: "x" }).join(" "), new RegExp(`^${name}: Postrider has no`));
  }
  assert.match(faultsOf({ unknown_field: 1 }).join(" "), /unknown_field: This field is unknown/);
});
