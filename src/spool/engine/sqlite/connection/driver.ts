/**
 * better-sqlite3 in the release that fits this Node. 12 is the last for Node 20. From Node 22 on it is 13: 12, compiled with
 * the headers of Node 24.19 or newer, aborts the process when one of its objects is garbage-collected, and 13 needs no
 * compiler. Both have the same interface.
 */
import { createRequire } from "node:module";
import type BetterSqlite from "better-sqlite3";

const major = Number(process.versions.node.split(".")[0]);
const name = major >= 22 ? "better-sqlite3-13" : "better-sqlite3";

const Sqlite = createRequire(import.meta.url)(name) as typeof BetterSqlite;

export default Sqlite;
