/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * What a check found in the DNS, compared with what it expects. Long words, such as keys, are shortened where both agree: the
 * table of records shows the expected value in full.
 */
import { type DomainCheck, isWarned } from "../../spool/port/domains.ts";
import { type DiffPart, difference } from "./difference.ts";
import { LONG_WORD_LENGTH, shortenedPieces } from "./long-words.ts";

/** A differing word is shortened only from this length on: it is the fault to look at. */
const LONG_FAULT_LENGTH = 200;

/** The published records. Empty before the first check, and where only the expected record is published. */
export function FoundRecords({ check, name }: { check: DomainCheck; name: string }) {
  if (check.checkedAtMs === null || check.state === "temporary_failure") return null;
  const others = check.found.filter((text) => text !== check.expected);
  if (check.state === "verified" && others.length === 0) return null;
  const { foundAt, expectedAt = name } = check;
  const isElsewhere = foundAt !== undefined && foundAt !== expectedAt;
  return (
    <div class="found">
      <p class="found-title">{check.found.length === 0 ? "No record found" : "Found in DNS"}</p>
      {isElsewhere ? <Comparison expected={expectedAt} found={foundAt} suffix=" at" isWrong /> : null}
      {check.found.map((text) => (
        <Comparison
          key={text}
          expected={check.expected}
          found={text}
          isWrong={text !== check.expected && (check.state !== "verified" || isWarned(check))}
        />
      ))}
    </div>
  );
}

interface ComparisonProps {
  expected: string;
  found: string;
  /** Follows the captions "found" and "expected". */
  suffix?: string;
  /** Whether to show the expected text and mark the differences. */
  isWrong: boolean;
}

function Comparison({ expected, found, suffix = "", isWrong }: ComparisonProps) {
  const compared = isWrong ? difference(expected, found) : { found: [{ text: found, differs: false }], expected: [] };
  return (
    <div class="found-pair">
      <p class="found-line">
        <span class="found-caption">found{suffix}</span>
        <DiffParts parts={compared.found} as="del" />
      </p>
      {isWrong ? (
        <p class="found-line">
          <span class="found-caption">expected{suffix}</span>
          <DiffParts parts={compared.expected} as="ins" />
        </p>
      ) : null}
    </div>
  );
}

function DiffParts({ parts, as: Mark }: { parts: DiffPart[]; as: "del" | "ins" }) {
  return (
    <code>
      {parts.map(({ text, differs }, i) => {
        const key = `${i} ${text}`;
        const words = <Shortened text={text} longFrom={differs ? LONG_FAULT_LENGTH : LONG_WORD_LENGTH} />;
        return differs ? <Mark key={key}>{words}</Mark> : <span key={key}>{words}</span>;
      })}
    </code>
  );
}

function Shortened({ text, longFrom }: { text: string; longFrom: number }) {
  return (
    <>
      {shortenedPieces(text, longFrom).map((piece, i) =>
        typeof piece === "string" ? (
          piece
        ) : (
          <span key={i} class="left-out">
            {` … ${piece} characters … `}
          </span>
        ),
      )}
    </>
  );
}
