/** Reads tag lists, the syntax of DKIM and DMARC records (RFC 6376 §3.2, RFC 9989 §4.8). The callers interpret the tags. */

export interface Tag {
  name: string;
  /** Without surrounding spaces. */
  value: string;
}

/** The tags of a text, each once, with the parts of it that are none. */
export interface ReadTags {
  /** Of a repeated tag the first. */
  tags: Tag[];
  repeated: string[];
  /** Parts that do not have the form tag=value. */
  malformed: string[];
}

export type TagList = { type: "tags"; tags: Tag[] } | { type: "malformed"; detail: string };

/** Splits a text into its tags, and leaves nothing out without a mention. */
export function readTags(text: string): ReadTags {
  const tags = new Map<string, Tag>();
  const repeated = new Set<string>();
  const malformed: string[] = [];
  for (const part of text.split(";").map((part) => part.trim())) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = part.slice(0, Math.max(equals, 0)).trim();
    if (!/^[a-z][a-z0-9_]*$/i.test(name)) malformed.push(part);
    else if (tags.has(name)) repeated.add(name);
    else tags.set(name, { name, value: part.slice(equals + 1).trim() });
  }
  return { tags: [...tags.values()], repeated: [...repeated], malformed };
}

const TAGS_MAX = 50;

/** The tags of a record that a malformed part or a repeated tag makes invalid as a whole (RFC 6376 §3.2). */
export function parseTagList(text: string): TagList {
  const { tags, repeated, malformed } = readTags(text);
  const [part] = malformed;
  if (part !== undefined) {
    return { type: "malformed", detail: `the part “${part.slice(0, 60)}” does not have the form tag=value` };
  }
  if (repeated.length > 0) return { type: "malformed", detail: `the tag ${repeated[0]}= is repeated` };
  if (tags.length > TAGS_MAX) return { type: "malformed", detail: `it has more than ${TAGS_MAX} tags` };
  return { type: "tags", tags };
}

/** The value of a tag, or null when the tag is absent. */
export function tagValue(tags: Tag[], name: string): string | null {
  return tags.find((tag) => tag.name === name)?.value ?? null;
}
