/**
 * The metrics of several processes as one text in Prometheus's exposition format. Each process labels its series with its node, so
 * none is added up: a counter of a process that restarts begins anew, which Prometheus expects of a series.
 */

interface Family {
  /** The lines of HELP and TYPE. */
  head: string[];
  samples: string[];
}

/** Joins texts whose series differ in a label. The lines of a metric stay together, as the format demands. */
export function joinExpositions(texts: readonly string[]): string {
  const families = new Map<string, Family>();
  for (const text of texts) {
    for (const block of text.split(/\n(?=# HELP )/)) addBlock(families, block);
  }
  return [...families.values()].map(({ head, samples }) => `${[...head, ...samples].join("\n")}\n`).join("\n");
}

function addBlock(families: Map<string, Family>, block: string): void {
  const lines = block.split("\n").filter((line) => line !== "");
  const name = /^# HELP (\S+)/.exec(block)?.[1];
  if (name === undefined) return;
  const samples = lines.filter((line) => !line.startsWith("#"));
  const known = families.get(name);
  if (known === undefined) families.set(name, { head: lines.filter((line) => line.startsWith("#")), samples });
  else known.samples.push(...samples);
}
