/**
 * A Mermaid flowchart as a list of its arrows: browsers do not draw Mermaid, and pages work without scripts. Of its language, it knows what
 * the documents use: nodes with and without a text, chains of arrows, texts of arrows.
 */

interface Arrow {
  from: string;
  to: string;
  text: string;
}

/** `validate[validate]`, `mx(["Recipient's server"])`, `spool[(Spool)]`, or only a name. */
const NODE = /^([\w-]+)(?:[[(]{1,2}"?([^"[\]()]*)"?[\])]{1,2})?$/;
/** With its text, in quotation marks or without. */
const ARROW = / <?-(?:\.-|-)>(?:\|"?([^"|]*)"?\|)? /;

function flowchartArrows(source: string): Arrow[] | null {
  const [first = "", ...lines] = source.split("\n");
  if (!/^flowchart\s/.test(first)) return null;
  const texts = new Map<string, string>();
  const nameOf = (node: string): string => {
    const [, name = node, text = ""] = NODE.exec(node.trim()) ?? [];
    if (text !== "") texts.set(name, text);
    return name;
  };
  const arrows = lines.flatMap((line) => {
    // Split has the nodes at even places and the texts of arrows at odd ones.
    const parts = line.split(ARROW);
    const nodes = parts.filter((_, i) => i % 2 === 0).map((node) => nameOf(node));
    return nodes.slice(1).map((to, i) => ({ from: nodes[i] as string, to, text: parts[2 * i + 1] ?? "" }));
  });
  return arrows.map(({ from, to, text }) => ({ from: texts.get(from) ?? from, to: texts.get(to) ?? to, text }));
}

/** The chart of a code block as lines, one for each node from which arrows lead; null for other code. */
export function flowchartLines({ lang, text: source }: { lang?: string | undefined; text: string }): string[] | null {
  const arrows = lang === "mermaid" ? flowchartArrows(source) : null;
  if (arrows === null) return null;
  return [...new Set(arrows.map(({ from }) => from))].map((start) => {
    const targets = arrows.filter(({ from }) => from === start);
    return `${start} → ${targets.map(({ to, text }) => (text === "" ? to : `${to} (${text})`)).join("; ")}`;
  });
}
