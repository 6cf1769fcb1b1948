/** What breaks between the contract of a release and that of today, one line for each. CONTRIBUTING.md says what may change. */
import type { CommandForm, Contract } from "./contract.ts";
import { isObject, type Json, type JsonObject, resolved, SchemaComparison } from "./schema-breaks.ts";

export function breaksBetween(before: Contract, now: Contract): string[] {
  return [
    ...httpBreaks(before.http, now.http),
    ...lost("problem code", Object.keys(before.problems), Object.keys(now.problems)),
    ...Object.entries(before.problems)
      .filter(([code, status]) => now.problems[code] !== undefined && now.problems[code] !== status)
      .map(([code, status]) => `problem code ${code}: the status was ${status} and is ${now.problems[code]}`),
    ...lost("event", before.events, now.events),
    ...settingBreaks(before.settings, now.settings),
    ...commandBreaks(before.commands, now.commands),
    ...outputBreaks(before.outputs, now.outputs),
    ...(["sqlite", "postgresql"] as const)
      .filter((engine) => now.schema[engine] < before.schema[engine])
      .map((engine) => `schema of ${engine}: was ${before.schema[engine]} and is ${now.schema[engine]}`),
  ];
}

const lost = (what: string, before: readonly string[], now: readonly string[]): string[] =>
  before.filter((name) => !now.includes(name)).map((name) => `${what} ${name} is gone`);

const METHODS = ["get", "put", "post", "delete", "patch", "head"];
const entriesOf = (value: Json | undefined): [string, Json][] => (isObject(value) ? Object.entries(value) : []);
const partOf = (value: Json | undefined, ...names: string[]): Json | undefined =>
  names.reduce<Json | undefined>((at, name) => (isObject(at) ? at[name] : undefined), value);

function httpBreaks(before: JsonObject, now: JsonObject): string[] {
  const comparison = new SchemaComparison({ before, now });
  for (const [path, item] of entriesOf(before.paths))
    for (const [method, operation] of entriesOf(item)) {
      if (!METHODS.includes(method)) continue;
      const name = `${method.toUpperCase()} ${path}`;
      const current = partOf(now.paths, path, method);
      if (isObject(operation) && isObject(current)) compareOperation(comparison, operation, current, name);
      else comparison.breaks.push(`${name} is gone`);
    }
  for (const [type, item] of entriesOf(before.webhooks)) {
    const body = ["post", "requestBody", "content", "application/json", "schema"];
    const current = partOf(now.webhooks, type, ...body);
    if (current === undefined) comparison.breaks.push(`webhook ${type} is gone`);
    else comparison.compare(partOf(item, ...body), current, "response", `webhook ${type}`);
  }
  return comparison.breaks;
}

function compareOperation(comparison: SchemaComparison, before: JsonObject, now: JsonObject, name: string): void {
  const { documents, breaks } = comparison;
  const [old, current] = [parametersOf(before, documents.before), parametersOf(now, documents.now)];
  for (const [parameter, { schema, required }] of old) {
    const found = current.get(parameter);
    if (found === undefined) breaks.push(`${name}: ${parameter} is gone`);
    else comparison.compare(schema, found.schema, "request", `${name} ${parameter}`);
    if (found?.required === true && required !== true) breaks.push(`${name}: ${parameter} is required now`);
  }
  for (const [parameter, { required }] of current)
    if (required === true && !old.has(parameter)) breaks.push(`${name}: ${parameter} is new and required`);
  compareBodies(comparison, before, now, name);
  for (const [status, response] of entriesOf(before.responses)) {
    const found = partOf(now.responses, status);
    if (found === undefined) breaks.push(`${name}: no longer answers ${status}`);
    else
      compareResponses(
        comparison,
        resolved(response, documents.before),
        resolved(found, documents.now),
        `${name} ${status}`,
      );
  }
}

function parametersOf(operation: JsonObject, document: JsonObject): Map<string, JsonObject> {
  const list = Array.isArray(operation.parameters) ? operation.parameters : [];
  const all = list.map((parameter) => resolved(parameter, document));
  return new Map(all.map((parameter) => [`${parameter.in} parameter ${parameter.name}`, parameter]));
}

function compareBodies(comparison: SchemaComparison, before: JsonObject, now: JsonObject, name: string): void {
  const { documents, breaks } = comparison;
  const [old, current] = [resolved(before.requestBody, documents.before), resolved(now.requestBody, documents.now)];
  if (current.required === true && old.required !== true) breaks.push(`${name}: the body is required now`);
  for (const [type, { schema }] of entriesOf(old.content) as [string, JsonObject][]) {
    const found = partOf(current.content, type);
    if (found === undefined) breaks.push(`${name}: no longer takes ${type}`);
    else comparison.compare(schema, partOf(found, "schema"), "request", `${name} body`);
  }
}

function compareResponses(comparison: SchemaComparison, before: JsonObject, now: JsonObject, name: string): void {
  for (const [header] of entriesOf(before.headers))
    if (partOf(now.headers, header) === undefined) comparison.breaks.push(`${name}: the header ${header} is gone`);
  for (const [type, { schema }] of entriesOf(before.content) as [string, JsonObject][]) {
    const found = partOf(now.content, type);
    if (found === undefined) comparison.breaks.push(`${name}: no longer returns ${type}`);
    else comparison.compare(schema, partOf(found, "schema"), "response", name);
  }
}

function settingBreaks(before: Contract["settings"], now: Contract["settings"]): string[] {
  const kept = Object.entries(before).filter(([name]) => now[name] !== undefined);
  return [
    ...lost("setting", Object.keys(before), Object.keys(now)),
    ...kept
      .filter(([name, value]) => now[name] !== value)
      .map(([name, value]) => `setting ${name}: the default was ${value} and is ${now[name]}`),
  ];
}

function commandBreaks(before: Contract["commands"], now: Contract["commands"]): string[] {
  const forms = Object.entries(before).filter(([name]) => now[name] !== undefined);
  return [
    ...lost("command", Object.keys(before), Object.keys(now)),
    ...forms.flatMap(([name, form]) => formBreaks(form, now[name] ?? form).map((fault) => `command ${name}: ${fault}`)),
  ];
}

function formBreaks(before: CommandForm, now: CommandForm): string[] {
  const newlyRequired = Object.entries(now.options).filter(
    ([name, { required }]) => required && before.options[name]?.required !== true,
  );
  return [
    ...lost("option", Object.keys(before.options), Object.keys(now.options)),
    ...newlyRequired.map(([name]) => `option ${name} is required now`),
    ...Object.entries(before.options)
      .filter(([name, { type }]) => now.options[name] !== undefined && now.options[name].type !== type)
      .map(([name]) => `option ${name} has another type`),
    ...before.arguments.flatMap(({ required, values }, i) => {
      const found = now.arguments[i];
      if (found === undefined) return [`argument ${i + 1} is gone`];
      const missing =
        found.values === null ? [] : (values ?? ["any other value"]).filter((value) => !found.values?.includes(value));
      return [
        ...(found.required && !required ? [`argument ${i + 1} is required now`] : []),
        ...missing.map((value) => `argument ${i + 1} no longer takes ${value}`),
      ];
    }),
    ...now.arguments
      .slice(before.arguments.length)
      .filter(({ required }) => required)
      .map(({ name }) => `${name} is new and required`),
  ];
}

/** A path that was seen with null alone may get a value. */
function outputBreaks(before: Contract["outputs"], now: Contract["outputs"]): string[] {
  return Object.entries(before).flatMap(([command, paths]) => {
    const current = now[command];
    if (current === undefined) return [`--json of ${command} is no longer recorded`];
    return Object.entries(paths).flatMap(([path, types]) => {
      const found = current[path];
      if (found === undefined) return [`--json of ${command}: ${path} is gone`];
      const other = found.filter((type) => type !== "null" && !types.includes(type));
      const isOpen = types.every((type) => type === "null");
      return other.length === 0 || isOpen
        ? []
        : [`--json of ${command}: ${path} was ${types.join("|")} and is ${found.join("|")}`];
    });
  });
}
