import { readFileSync, writeFileSync } from "node:fs";
import { defaultKubernetes, otherKubernetes } from "../support/cluster/kubernetes-versions.ts";
import type { Accuracy } from "./compare.ts";

/** The last comparison of predictions with results on one version of Kubernetes. */
export interface ComparedVersion {
  /** The release of the API server and the controllers, such as "1.37.2". */
  readonly release: string;
  /** The number of stories that ran. */
  readonly stories: number;
  /** The predictions that came true, by their subject. */
  readonly predictions: Readonly<Record<ComparedPart, Share>>;
}

export interface Share {
  readonly right: number;
  readonly all: number;
}

const parts = ["objects", "fields", "refusals", "warnings", "rollbacks"] as const;
type ComparedPart = (typeof parts)[number];

const file = new URL("compared-versions.json", import.meta.url);

/** Returns the supported releases of Kubernetes, oldest first. */
export function supportedReleases(): readonly string[] {
  return [...Object.values(otherKubernetes), defaultKubernetes].toSorted();
}

/** Reads the recorded comparisons, one for each release at most. */
export function comparedVersions(): readonly ComparedVersion[] {
  return JSON.parse(readFileSync(file, "utf8")) as readonly ComparedVersion[];
}

/** Records a comparison for docs/reference/limits.md. It replaces the one of the same release. */
export function recordComparison(release: string, stories: number, accuracy: Accuracy): void {
  const shares = parts.map((part) => {
    const { right, all } = accuracy[part];
    return [part, { right, all }] as const;
  });
  const predictions = Object.fromEntries(shares) as ComparedVersion["predictions"];
  const others = comparedVersions().filter((each) => each.release !== release);
  const all = [...others, { release, stories, predictions }].toSorted((a, b) =>
    a.release < b.release ? -1 : 1,
  );
  writeFileSync(file, `${JSON.stringify(all, undefined, 2)}\n`);
}
