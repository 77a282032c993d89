import { releaseSecretType } from "../../src/model/deployments/release.ts";
import { isEmpty, isList, isObject, type Json } from "../../src/model/json.ts";
import { idOf, type KubeObject, keyOf, uidOf } from "../../src/model/object.ts";
import type { Cluster } from "../../src/ports/kubernetes.ts";
import { type ClusterState, readState } from "../sweeps/cluster-state.ts";
import { flaw } from "../sweeps/judge.ts";

/** The kinds of all objects of the soak. */
const kinds = [
  ["v1", "ConfigMap"],
  ["v1", "Secret"],
  ["v1", "Service"],
  ["apps/v1", "Deployment"],
] as const;

/** The state of a namespace, without the help of qvs's plans. */
export interface Seen extends ClusterState {
  /** The objects except releases, by their keys. */
  readonly live: ReadonlyMap<string, KubeObject>;
}

/** The most records that `--keep-releases 10` leaves: src/releases/prune.ts. */
const mostRecords = 21;

export async function see(cluster: Cluster, namespace: string): Promise<Seen> {
  const state = await readState(cluster, namespace);
  const live = new Map<string, KubeObject>();
  for (const [apiVersion, kind] of kinds) {
    const answer = await cluster.list(apiVersion, kind, namespace);
    if (!answer.ok) throw new Error(answer.failure.message);
    for (const item of answer.value.items) {
      const object: KubeObject = { ...item, apiVersion, kind };
      if (object["type"] !== releaseSecretType) live.set(keyOf(idOf(object)), object);
    }
  }
  return { ...state, live };
}

/** Reports whether the live value contains everything that is declared. */
export function contains(live: Json | undefined, declared: Json): boolean {
  // The API server doesn't store an empty list or object.
  if (live === undefined && isEmpty(declared)) return true;
  if (isList(declared)) {
    if (!isList(live) || live.length !== declared.length) return false;
    return declared.every((item, index) => contains(live[index], item));
  }
  if (!isObject(declared)) return live === declared;
  return (
    isObject(live) && Object.entries(declared).every(([name, value]) => contains(live[name], value))
  );
}

/** Returns the flaws if declared objects are missing or have other values. */
export function flawsOfDeclared(
  { live }: Pick<Seen, "live">,
  declared: readonly KubeObject[],
): readonly string[] {
  return declared.flatMap((object) => {
    const key = keyOf(idOf(object));
    const present = live.get(key);
    if (present === undefined) return [`${key} is missing`];
    return flaw(!contains(present, object), `${key} isn't as declared`);
  });
}

/** Returns the flaws if objects that a failed run must keep are missing. */
export function flawsOfLost(
  { live }: Pick<Seen, "live">,
  declared: readonly KubeObject[],
): readonly string[] {
  const keys = declared.map((object) => keyOf(idOf(object)));
  return keys.filter((key) => !live.has(key)).map((key) => `${key} was deleted after a failure`);
}

/** Returns the objects of the deployment that aren't declared. */
export function orphansIn(
  { ours }: Pick<Seen, "ours">,
  declared: readonly KubeObject[],
  bystanders: readonly string[],
): readonly string[] {
  const expected = new Set([...declared.map((object) => keyOf(idOf(object))), ...bystanders]);
  return ours.filter((key) => !expected.has(key));
}

/**
 * Returns the flaws after a run that succeeded. `disturbed` runs can leave objects of their
 * inventory for the next run.
 */
export function flawsOfSettled(
  seen: Seen,
  declared: readonly KubeObject[],
  {
    bystanders,
    disturbed,
  }: { readonly bystanders: readonly string[]; readonly disturbed: boolean },
): readonly string[] {
  const [newest] = seen.releases;
  const inventory = new Set(newest?.inventory.map(({ id }) => keyOf(id)) ?? []);
  const orphans = orphansIn(seen, declared, bystanders);
  const unexplained = orphans.filter((key) => !disturbed || !inventory.has(key));
  return [
    ...seen.leaks,
    ...flaw(newest?.status !== "succeeded", `the newest release is ${newest?.status ?? "missing"}`),
    ...flaw(!disturbed && seen.holder !== "", `the lock is still held by ${seen.holder}`),
    ...flawsOfDeclared(seen, declared),
    ...unexplained.map((key) => `${key} is an orphan`),
    ...declared
      .map((object) => keyOf(idOf(object)))
      .filter((key) => !inventory.has(key))
      .map((key) => `${key} isn't in the inventory`),
    ...flaw(seen.releases.length > mostRecords, `${seen.releases.length} records exist`),
  ];
}

/** The parts of the output of `qvs status --format json` that are judged. */
interface Status {
  readonly isHealthy: boolean;
  readonly instances: readonly {
    readonly object: string;
    readonly state: string;
    /** The release that declares the object. Null for leftovers of other releases. */
    readonly release: number | null;
  }[];
}

/** Compares the states of `qvs status` with the objects that really exist. */
export function flawsOfStatus(
  { isHealthy, instances }: Status,
  { live, releases }: Pick<Seen, "live" | "releases">,
): readonly string[] {
  const shown = new Set(instances.map(({ object }) => object));
  const inventory = (releases[0]?.inventory ?? []).map(({ id }) => keyOf(id));
  const absent = instances.filter(({ object, release }) => release !== null && !live.has(object));
  return [
    ...instances
      .filter(({ object, state }) => live.has(object) === (state === "missing"))
      .map(({ object, state }) => `status shows ${object} as ${state}`),
    ...inventory
      .filter((key) => live.has(key) && !shown.has(key))
      .map((key) => `status omits ${key}`),
    ...flaw(
      isHealthy && absent.length > 0,
      "status shows a deployment without an object as healthy",
    ),
  ];
}

/** The parts of the output of `qvs diff --format json` that are judged. */
interface Preview {
  readonly problems: readonly { readonly code: string; readonly what: string }[];
  readonly changes: readonly { readonly key: string; readonly action: string }[];
  readonly deletions: readonly { readonly key: string }[];
  readonly kept: readonly { readonly key: string }[];
}

/** Compares a preview with the objects that really exist, and with the inventory. */
export function flawsOfPreview(
  { problems, changes, deletions, kept }: Preview,
  seen: Seen,
  declared: readonly KubeObject[],
): readonly string[] {
  const actions = new Map(changes.map(({ key, action }) => [key, action]));
  const left = new Set([...deletions, ...kept].map(({ key }) => key));
  const keys = new Set(declared.map((object) => keyOf(idOf(object))));
  const leaving = (seen.releases[0]?.inventory ?? [])
    .map(({ id }) => keyOf(id))
    .filter((key) => seen.live.has(key) && !keys.has(key));
  return [
    ...problems.map(({ code, what }) => `the preview is blocked: ${code}: ${what}`),
    ...declared.flatMap((object) => {
      const key = keyOf(idOf(object));
      const action = actions.get(key) ?? "nothing";
      return flaw(!isRight(action, seen.live.get(key), object), `the preview of ${key}: ${action}`);
    }),
    ...leaving.filter((key) => !left.has(key)).map((key) => `the preview omits ${key}`),
    ...[...left]
      .filter((key) => !leaving.includes(key))
      .map((key) => `the preview deletes ${key}, which isn't in the inventory`),
  ];
}

function isRight(action: string, live: KubeObject | undefined, declared: KubeObject): boolean {
  if (live === undefined) return action === "create";
  return contains(live, declared)
    ? action === "unchanged" || action === "update"
    : action === "update" || action === "replace";
}

/** Objects outside the deployment that no run can delete or change. */
export interface Bystanders {
  /** The keys of those that have the label of the deployment. */
  readonly labelled: readonly string[];
  flaws(seen: Pick<Seen, "live">): readonly string[];
}

export async function plantBystanders(cluster: Cluster, namespace: string): Promise<Bystanders> {
  const labels = { "vs.axis-dev.io/deployment": "demo", "app.kubernetes.io/managed-by": "qvs" };
  const objects: readonly KubeObject[] = [
    bystander("bystander", namespace, {}),
    bystander("labelled", namespace, labels),
    bystander("extra-9", namespace, {}),
  ];
  const uids = new Map<string, string>();
  for (const object of objects) {
    const created = await cluster.create(object);
    if (!created.ok) throw new Error(created.failure.message);
    uids.set(keyOf(idOf(object)), uidOf(created.value));
  }
  return {
    labelled: objects
      .filter(
        ({ metadata }) =>
          isObject(metadata.labels) && "vs.axis-dev.io/deployment" in metadata.labels,
      )
      .map((object) => keyOf(idOf(object))),
    flaws: ({ live }) =>
      objects.flatMap((object) => {
        const key = keyOf(idOf(object));
        const present = live.get(key);
        return flaw(
          present === undefined ||
            uidOf(present) !== uids.get(key) ||
            !contains(present, { data: { owner: "another user" } }),
          `the bystander ${key} was deleted or changed`,
        );
      }),
  };
}

function bystander(
  name: string,
  namespace: string,
  labels: Readonly<Record<string, string>>,
): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace, labels },
    data: { owner: "another user" },
  };
}
