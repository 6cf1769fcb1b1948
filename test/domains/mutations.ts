/** Records of a zone with random faults, reproducible by seed. */
import type { FakeZone } from "../support/fake-resolver.ts";

type Records = FakeZone[string];
export type Random = () => number;

/** A small linear congruential generator, to reproduce a failing round. */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

const PIECES = [
  "=",
  ";",
  " ",
  '"',
  "\\",
  ":",
  "/",
  "//",
  "all",
  "include:",
  "%{i}",
  "%",
  "redirect=",
  "ip6:::/1",
  "a/33",
];
const MORE_PIECES = [
  "p=",
  "v=",
  "\u0000",
  "é",
  "example.com",
  "exists:%{ir}.x",
  "ptr",
  "mx:",
  "-",
  "0",
  ".",
  "ip4:1.2.3.4/",
  "😀",
];

export function mutated(records: Records, random: Random): Records {
  const any = <T>(list: T[]): T => list[Math.floor(random() * list.length)] as T;
  const change = (text: string) => {
    let changed = text;
    for (let count = Math.floor(random() * 4); count > 0; count--) {
      const at = Math.floor(random() * (changed.length + 1));
      const piece = any([...PIECES, ...MORE_PIECES]);
      changed = changed.slice(0, at) + piece + changed.slice(at + (random() < 0.5 ? 0 : piece.length));
    }
    return changed;
  };
  const lists = Object.entries(records).map(([type, values]) => [
    type,
    Array.isArray(values) ? [...values.map(change), ...(random() < 0.2 ? values : [])] : values,
  ]);
  return Object.fromEntries(lists);
}
