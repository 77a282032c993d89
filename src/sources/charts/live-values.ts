import type { Json } from "../../model/json.ts";
import { distinct } from "../../model/problems/problem.ts";
import { leafEntries } from "../../model/sources/trace.ts";
import type { LiveField } from "./changed-fields.ts";
import type { CandidateValue } from "./changed-values.ts";
import {
  fileLine,
  type ReadValues,
  setLine,
  type ValueLine,
  withFileValue,
  withSetValue,
} from "./written-values.ts";

/**
 * Returns the values of a chart that can be the value of a changed field, or a part of its text,
 * with the live values. Values that override others and longer values come first.
 */
export function liveValues(
  chart: ReadValues,
  fields: readonly LiveField[],
): readonly CandidateValue[] {
  const pairs = scalarPairs(fields);
  const found = scalarValues(chart).flatMap((scalar) =>
    pairs.flatMap((pair) => {
      const other = otherValue(scalar.value, pair);
      return other === undefined ? [] : [{ scalar, ...other }];
    }),
  );
  const byOther = new Map(
    found.map((each) => [JSON.stringify([each.scalar.key, each.text ?? null]), each]),
  );
  return [...byOther.values()]
    .toSorted((a, b) => b.share - a.share)
    .map(({ scalar, text }) => ({ ...scalar.line(), reverted: scalar.with(text) }));
}

/** The maximum numbers of compared values, so that huge files and diffs don't take seconds. */
const maxPairs = 50;
const maxScalars = 10_000;
const maxLength = 4096;

type Scalar = string | number | boolean;

/** The declared and the live value of a field. */
interface ScalarPair {
  readonly declared: string;
  /** Undefined if the live object lacks the field. */
  readonly live: string | undefined;
  /** The numbers of equal characters at the start and at the end. */
  readonly start: number;
  readonly end: number;
}

function scalarPairs(fields: readonly LiveField[]): readonly ScalarPair[] {
  const pairs = fields.flatMap(({ value, live }): readonly ScalarPair[] => {
    if (!isScalar(value) || (live !== undefined && !isScalar(live))) return [];
    const [declared, other] = [String(value), live === undefined ? undefined : String(live)];
    if (declared.length > maxLength) return [];
    const [start, end] = [equalCharacters(declared, other, 0), equalCharacters(declared, other, 1)];
    return [{ declared, live: other, start, end }];
  });
  return distinct(pairs).slice(0, maxPairs);
}

/** Returns the number of equal characters at the start (0) or at the end (1) of two texts. */
function equalCharacters(one: string, other: string | undefined, fromEnd: 0 | 1): number {
  const step = (index: number) => (fromEnd ? -1 - index : index);
  let count = 0;
  while (count < one.length && one.at(step(count)) === other?.at(step(count))) count += 1;
  return count;
}

function isScalar(value: Json): value is Scalar {
  return value !== null && typeof value !== "object";
}

/** A scalar in `set` or a values file. */
interface ScalarValue {
  readonly key: readonly (string | number)[];
  readonly value: Scalar;
  readonly line: () => ValueLine;
  /** Returns all values of the chart with another one here; undefined removes it. */
  readonly with: (text: string | undefined) => CandidateValue["reverted"];
}

/** Lists the scalars of `set`, and then those of the last file first, because they override. */
function scalarValues(chart: ReadValues): readonly ScalarValue[] {
  const ofSet = chart.set.flatMap(({ path, value }): readonly ScalarValue[] =>
    isScalar(value)
      ? [
          {
            ...{ key: [path], value, line: () => setLine(chart.entry, path) },
            with: (text) => withSetValue(chart, path, typedLike(value, text)),
          },
        ]
      : [],
  );
  const ofFiles = chart.files.map((file, index) =>
    leafEntries(file.values ?? {}).flatMap(([path, value]): readonly ScalarValue[] =>
      isScalar(value)
        ? [
            {
              ...{ key: [index, ...path], value, line: () => fileLine(file, path) },
              with: (text) => withFileValue(chart, index, path, typedLike(value, text)),
            },
          ]
        : [],
    ),
  );
  return [...ofSet, ...ofFiles.reverse().flat()].slice(0, maxScalars);
}

/** Returns a text as a value of the same type, if it is one. */
function typedLike(value: Scalar, text: string | undefined): Scalar | undefined {
  if (typeof value === "number" && text !== undefined && String(Number(text)) === text)
    return Number.isFinite(Number(text)) ? Number(text) : text;
  if (typeof value === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/** Another text for a value, and the share of the field's text that the value can make. */
interface OtherValue {
  /** Undefined if the value must be missing. */
  readonly text: string | undefined;
  readonly share: number;
}

/**
 * Returns the text with which a value would make the live value of a field. Undefined if the value
 * isn't in the field, or if its other parts differ too.
 */
function otherValue(
  value: Scalar,
  { declared, live, start, end }: ScalarPair,
): OtherValue | undefined {
  const text = String(value);
  if (text === declared) return { text: live, share: 1 };
  const others = declared.length - text.length;
  if (text === "" || live === undefined || live.length < others) return undefined;
  const at = declared.indexOf(text, others - end);
  if (at < 0 || at > start) return undefined;
  return {
    text: live.slice(at, at + live.length - others),
    share: text.length / declared.length,
  };
}
