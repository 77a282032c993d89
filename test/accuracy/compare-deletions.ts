import { keyOf } from "../../src/model/object.ts";
import type { TestCluster } from "../support/cluster/use-cluster.ts";
import type { Accuracy } from "./compare.ts";
import type { PredictedReport } from "./predict.ts";

/**
 * The objects of a namespace by UID. Excludes objects that a controller of Kubernetes recreates.
 */
export type Present = ReadonlyMap<string, Found>;

interface Found {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** Lists the objects of the kinds. `kinds` are names that kubectl accepts. */
export async function listPresent(
  cluster: TestCluster,
  namespace: string,
  kinds: readonly string[],
): Promise<Present> {
  const columns = [".metadata.uid", ".apiVersion", ".kind", ".metadata.name"];
  const rowsText = await cluster.kubectl(
    ...["get", kinds.join(","), "-n", namespace, "--no-headers", "--ignore-not-found"],
    ...["-o", `custom-columns=${columns.map((path, index) => `C${index}:${path}`).join(",")}`],
  );
  const rows = rowsText.split("\n").map((line) => line.split(/\s+/));
  return new Map(
    rows.flatMap(([uid = "", apiVersion = "", kind = "", name = ""]) => {
      const [version, group = ""] = apiVersion.split("/").toReversed();
      return version === "" || name.startsWith("qvs.") ? [] : [[uid, { group, kind, name }]];
    }),
  );
}

/**
 * Checks that only predicted objects were deleted: the plan's own deletions, and objects that are
 * deleted with them.
 */
export function compareDeletions(
  { plan }: PredictedReport,
  [before, after]: readonly [Present, Present],
  namespace: string,
  accuracy: Accuracy,
): void {
  if (plan === undefined) return;
  const named = new Set([
    ...plan.deletions.map(({ key }) => key),
    ...plan.changes.filter(({ action }) => action === "replace").map(({ key }) => key),
    ...[...plan.changes, ...plan.deletions].flatMap(({ alsoDeleted }) =>
      (alsoDeleted?.objects ?? []).map(({ key }) => key),
    ),
  ]);
  const declared = new Set(plan.changes.map(({ key }) => key));
  for (const [uid, found] of before) {
    const keys = ["", namespace].map((place) => keyOf({ ...found, namespace: place }));
    const isPredicted = keys.some((key) => named.has(key) || declared.has(key));
    if (!after.has(uid) && !isPredicted)
      accuracy.wrong.push(`${found.kind} ${found.name}: deleted, but not predicted`);
  }
}
