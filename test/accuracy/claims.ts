import { readFileSync } from "node:fs";

/**
 * The numbers of correct predictions from docs/project/verification.md. Tests compare them with
 * their own counts, so a test fails until the page is corrected. They are round numbers, because
 * each new story adds to them.
 */
export interface Claims {
  readonly stories: Readonly<Record<"objects" | "fields" | "refusals" | "warnings", number>>;
  readonly real: Readonly<Record<"changes" | "objects" | "refusals", number>>;
  readonly rollbacks: Readonly<Record<"changes" | "impossible", number>>;
}

const stories =
  /more than (?<objects>[\d,]+) objects, (?<fields>[\d,]+) changed fields, (?<refusals>[\d,]+) refusals and (?<warnings>[\d,]+) warnings/;
const real =
  /more than (?<changes>[\d,]+) changes of manifests that others have written, .*? more than (?<objects>[\d,]+) objects and (?<refusals>[\d,]+) refusals/;
const rollbacks =
  /more than (?<changes>\d+) of these changes alone, .*? more than (?<impossible>\d+) rollbacks that aren't possible/;

const page = "docs/project/verification.md";

export function verifiedClaims(): Claims {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8").replaceAll(
    /\s+/g,
    " ",
  );
  return {
    stories: numbersIn(stories, text),
    real: numbersIn(real, text),
    rollbacks: numbersIn(rollbacks, text),
  };
}

function numbersIn<K extends string>(pattern: RegExp, text: string): Record<K, number> {
  const groups = pattern.exec(text)?.groups;
  if (groups === undefined) throw new Error(`${page} has no sentence like ${pattern.source}`);
  const numbers = Object.entries(groups).map(([key, value]) => [
    key,
    Number(value.replaceAll(",", "")),
  ]);
  return Object.fromEntries(numbers);
}
