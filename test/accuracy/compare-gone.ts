import { keyOf } from "../../src/model/object.ts";
import type { TestCluster } from "../support/cluster/use-cluster.ts";
import type { Accuracy } from "./compare.ts";
import type { ForetoldReport } from "./foretell.ts";

/** What is in a namespace, by uid; `Kind.group/name`. What controllers of Kubernetes make again is left out. */
export type Present = ReadonlyMap<string, Found>;

interface Found {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** `kinds` as kubectl names them. */
export async function presentIn(
  cluster: TestCluster,
  namespace: string,
  kinds: readonly string[],
): Promise<Present> {
  const columns = [".metadata.uid", ".apiVersion", ".kind", ".metadata.name"];
  const said = await cluster.kubectl(
    ...["get", kinds.join(","), "-n", namespace, "--no-headers", "--ignore-not-found"],
    ...["-o", `custom-columns=${columns.map((path, index) => `C${index}:${path}`).join(",")}`],
  );
  const rows = said.split("\n").map((line) => line.split(/\s+/));
  return new Map(
    rows.flatMap(([uid = "", apiVersion = "", kind = "", name = ""]) => {
      const [version, group = ""] = apiVersion.split("/").toReversed();
      return version === "" || name.startsWith("qvs.") ? [] : [[uid, { group, kind, name }]];
    }),
  );
}

/** Nothing goes that the plan does not name, neither itself nor as what goes along. */
export function compareGone(
  { plan }: ForetoldReport,
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
    const isSaid = keys.some((key) => named.has(key) || declared.has(key));
    if (!after.has(uid) && !isSaid)
      accuracy.wrong.push(`${found.kind} ${found.name}: gone, but not predicted`);
  }
}
