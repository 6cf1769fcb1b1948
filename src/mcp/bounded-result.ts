/** Shortens what a tool returns, so that it does not fill an agent's context: lists, texts and the whole are bounded. */

const ENTRIES_MAX = 100;
const TEXT_LENGTH_MAX = 4000;
/** Characters of the whole as JSON. */
const RESULT_LENGTH_MAX = 100_000;
/** Fewer entries are not shown, however long they are. */
const ENTRIES_MIN = 3;
const NOTES_MAX = 20;

type Value = Readonly<Record<string, unknown>>;

/** `data` with `shortened`, which says what was left out, unless nothing was. */
export function bounded(data: Value): Record<string, unknown> {
  let entriesMax = ENTRIES_MAX;
  let lengthMax = TEXT_LENGTH_MAX;
  for (;;) {
    const notes: string[] = [];
    const shown = shorten(data, "", { entriesMax, lengthMax, notes }) as Record<string, unknown>;
    const isLast = entriesMax <= ENTRIES_MIN;
    if (isLast || JSON.stringify(shown).length <= RESULT_LENGTH_MAX)
      return notes.length === 0 ? shown : { ...shown, shortened: notes };
    entriesMax = Math.max(ENTRIES_MIN, Math.floor(entriesMax / 2));
    lengthMax = Math.floor(lengthMax / 2);
  }
}

interface Bounds {
  entriesMax: number;
  lengthMax: number;
  notes: string[];
}

function shorten(value: unknown, path: string, bounds: Bounds): unknown {
  const { entriesMax, lengthMax } = bounds;
  if (typeof value === "string") {
    if (value.length <= lengthMax) return value;
    note(bounds, `${path}: ${lengthMax} of ${value.length} characters`);
    return value.slice(0, lengthMax).toWellFormed();
  }
  if (Array.isArray(value)) {
    const isCut = value.length > entriesMax;
    if (isCut) note(bounds, `${path}: ${entriesMax} of ${value.length} entries`);
    // A history has its newest entry last.
    const shown = !isCut ? value : /\bevents$/.test(path) ? value.slice(-entriesMax) : value.slice(0, entriesMax);
    return shown.map((each, i) => shorten(each, `${path}[${i}]`, bounds));
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  if (entries.length > ENTRIES_MAX) note(bounds, `${path}: ${ENTRIES_MAX} of ${entries.length} fields`);
  return Object.fromEntries(
    entries
      .slice(0, ENTRIES_MAX)
      .map(([name, each]) => [name, shorten(each, path === "" ? name : `${path}.${name}`, bounds)]),
  );
}

function note({ notes }: Bounds, text: string): void {
  if (notes.length < NOTES_MAX) notes.push(text);
}
