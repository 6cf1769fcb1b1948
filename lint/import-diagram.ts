/**
 * Prints the imports between the folders of src/ as a Mermaid diagram, for docs/ARCHITECTURE.md. Arrows that follow
 * from others are omitted (transitive reduction).
 */
import { fileURLToPath } from "node:url";
import { folderOf, type ImportGraph, readImports } from "./check-imports.ts";

/** Subfolders drawn as their own nodes. */
const DRAWN_APART = [
  "http/manage",
  "http/overload",
  "http/request",
  "http/response",

  "spool/port",
  "spool/schema",
  "spool/scheduler",
  "spool/store",
  "spool/engine",
  "spool/engine/sqlite",
  "spool/engine/postgres",
  "spool/records",
];

type Edges = Map<string, Set<string>>;

function groupOf(file: string): string {
  const folder = folderOf(file);
  return DRAWN_APART.includes(folder) ? folder : (folder.split("/")[0] ?? folder);
}

function edgesBetweenGroups(graph: ImportGraph): Edges {
  const edges: Edges = new Map();
  for (const [file, imports] of graph) {
    const from = groupOf(file);
    const targets = edges.get(from) ?? new Set();
    edges.set(from, targets);
    for (const target of imports) if (graph.has(target) && groupOf(target) !== from) targets.add(groupOf(target));
  }
  return edges;
}

function reaches(edges: Edges, from: string, to: string): boolean {
  return [...(edges.get(from) ?? [])].some((next) => next === to || reaches(edges, next, to));
}

/** Draws the groups and the arrows that do not follow from others. The graph must be acyclic. */
export function importDiagram(graph: ImportGraph): string {
  const edges = edgesBetweenGroups(graph);
  const nameOf = (group: string): string => group.replaceAll("/", "-");
  const nodes = [...edges.keys()].sort().map((group) => `  ${nameOf(group)}["${group}"]`);
  const arrows = [...edges].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => ![...targets].some((other) => other !== to && reaches(edges, other, to)))
      .map((to) => `  ${nameOf(from)} --> ${nameOf(to)}`),
  );
  return ["flowchart TD", ...nodes, ...arrows.sort()].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${importDiagram(readImports(fileURLToPath(new URL("../src", import.meta.url))))}\n`);
}
