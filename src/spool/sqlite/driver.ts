/**
 * better-sqlite3, in the release that fits this Node: 12 is the last that runs on Node 20; from Node 22 on 13, because
 * 12 as compiled with the headers of Node 24.19 and newer aborts the process when a garbage collection takes one of its
 * objects, and 13 needs no compiler. Both have the same interface.
 */
import { createRequire } from "node:module";
import type BetterSqlite from "better-sqlite3";

const major = Number(process.versions.node.split(".")[0]);
const name = major >= 22 ? "better-sqlite3-13" : "better-sqlite3";

const Sqlite = createRequire(import.meta.url)(name) as typeof BetterSqlite;

export default Sqlite;
