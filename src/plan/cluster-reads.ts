import { referencesAmong } from "../model/apply-time-reference.ts";
import { definesKind, isDefinition, namespaceKey } from "../model/cluster/holder.ts";
import { type Earlier, nothingEarlier } from "../model/earlier.ts";
import { groupOf, type KubeObject, type ObjectAddress } from "../model/object.ts";
import { fieldManager, type PlanPolicy } from "../model/plan.ts";
import type { InventoryEntry, LiveObjects } from "../model/release.ts";
import { isTakenOver } from "../ssa/steps/transfer-ownership.ts";
import { keysThatSkipDryRun } from "./changes/can-skip-dry-run.ts";
import { compareWithLive } from "./changes/compare.ts";
import type { DeclaredObject, DesiredObject } from "./declared/objects.ts";
import { isThere, waitedFor } from "./earlier.ts";
import type { Desired } from "./plan-input.ts";

/** One LIST: all objects of a kind in a namespace, or of a cluster-scoped kind. */
export interface LiveList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
}

/**
 * The fewest LISTs that show everything a plan looks at but the definitions, sorted: no label selector may narrow them, since
 * revisions count objects of others too. What is only in the inventory is read in the version that made it.
 */
export function listsToRead(
  objects: readonly DeclaredObject[],
  inventory: readonly InventoryEntry[],
): readonly LiveList[] {
  return listsOf(known(objects, inventory).filter(({ id }) => !isDefinition(id)));
}

/** What is read by its name beside those lists, sorted. */
export function objectsToRead(
  objects: readonly DeclaredObject[],
  inventory: readonly InventoryEntry[],
): readonly ObjectAddress[] {
  const definitions = known(objects, inventory).filter(({ id }) => isDefinition(id));
  const byName = new Map(
    definitions.toReversed().map(({ id, apiVersion }) => {
      const { kind, namespace, name } = id;
      return [name, { apiVersion, kind, namespace, name }] as const;
    }),
  );
  return [...byName.keys()].toSorted().map((name) => byName.get(name) as ObjectAddress);
}

type Known = Pick<InventoryEntry, "id" | "apiVersion">;

/** What is declared now comes first. */
function known(
  objects: readonly DeclaredObject[],
  inventory: readonly InventoryEntry[],
): readonly Known[] {
  return [
    ...objects.map(({ id, object }) => ({ id, apiVersion: object.apiVersion })),
    ...inventory,
  ];
}

/** One of each kind and place. */
export function listsOf(all: readonly Known[]): readonly LiveList[] {
  const lists = new Map<string, LiveList>();
  for (const { id, apiVersion } of all) {
    const key = `${groupOf(apiVersion)} ${id.kind} ${id.namespace}`;
    const namespace = id.namespace === "" ? undefined : id.namespace;
    if (!lists.has(key)) lists.set(key, { apiVersion, kind: id.kind, namespace });
  }
  return [...lists.keys()].toSorted().map((key) => lists.get(key) as LiveList);
}

/**
 * The objects that only a dry-run can tell about: all but those provably unchanged and those it can't work
 * for yet. A preview asks about "all" of them; a deployment about those "needed", without the self-evident ones, since it asks
 * again by applying.
 */
export function objectsToDryRun(
  deployment: string,
  desired: Waiting,
  live: LiveObjects,
  { dryRuns = "all", purpose = "deploy", policy, earlier }: Asking = {},
): readonly DesiredObject[] {
  const { objects } = desired;
  const asked = objects.filter((object) => {
    if (awaitedValue(object, purpose) !== undefined) return false;
    // The server would answer for what is still there.
    if (earlier?.deleted.has(object.key) === true) return false;
    const existing = live.get(object.key);
    const isWithheld = purpose === "preview" || existing === undefined;
    if (isWithheld && object.unasked !== undefined) return false;
    const takeover = policy?.conflicts.takeover;
    if (existing !== undefined) return !isProvenUnchanged(deployment, object, existing, takeover);
    return awaitedFoundation(object, desired, live, earlier) === undefined;
  });
  const evident = dryRuns === "all" ? noKeys : keysThatSkipDryRun(deployment, asked, live);
  return asked.filter((object) => !evident.has(object.key));
}

/**
 * The objects of namespaces that this deployment creates: to be tried in another one, where the server checks them in the same way.
 * Secrets are sent nowhere but to their own namespace.
 */
export function objectsToTryElsewhere(
  desired: Waiting,
  live: LiveObjects,
  {
    purpose,
    earlier = nothingEarlier,
  }: Pick<Asking, "earlier"> & Required<Pick<Asking, "purpose">>,
): readonly DesiredObject[] {
  return desired.objects.filter(
    (object) =>
      object.id.namespace !== "" &&
      object.id.kind !== "Secret" &&
      object.unasked === undefined &&
      awaitedValue(object, purpose) === undefined &&
      awaitedFoundation(object, desired, live, earlier)?.startsWith("core:Namespace::") === true,
  );
}

/** Where they are tried: in the namespace of the releases, or where that is yet to come, in the one that each cluster has. */
export function placeToTry(
  { objects }: { readonly objects: readonly Pick<DesiredObject, "key">[] },
  live: LiveObjects,
  { namespace, earlier = nothingEarlier }: Pick<Asking, "earlier"> & { readonly namespace: string },
): string {
  const key = namespaceKey(namespace);
  const isMade = objects.some((object) => object.key === key) || earlier.changes.has(key);
  return isMade && !isThere(key, live, earlier) ? "default" : namespace;
}

/** Objects, and what they wait for. */
type Waiting = Pick<Desired, "objects" | "byKey" | "edges" | "toEarlier">;

export interface Asking {
  readonly dryRuns?: "all" | "needed";
  /** A preview asks about nothing that has to do with values of Secrets that are live. */
  readonly purpose?: "preview" | "deploy";
  /** Objects that others hold something of which the user wants to take are asked about. */
  readonly policy?: Pick<PlanPolicy, "conflicts">;
  readonly earlier?: Earlier | undefined;
}

const noKeys: ReadonlySet<string> = new Set();

export function isProvenUnchanged(
  deployment: string,
  { object, provable = object, stage }: DesiredObject,
  live: KubeObject,
  takeover: readonly string[] = [],
): boolean {
  if (isTakenOver(live, takeover)) return false;
  return compareWithLive(provable, live, fieldManager(deployment, stage)) === "unchanged";
}

/**
 * The key of an object whose value it needs and that only the deployment will bring: until then nobody can be asked. To a preview every
 * Secret is such an object.
 */
export function awaitedValue(
  { late }: Pick<DesiredObject, "late">,
  purpose: "preview" | "deploy" = "deploy",
): string | undefined {
  const pieces = purpose === "preview" ? late.flatMap((text) => referencesAmong(text.pieces)) : [];
  const secret = pieces.find((reference) => reference.secret)?.on;
  return late.find(({ awaits }) => awaits !== undefined)?.awaits ?? secret;
}

/**
 * The object's own Namespace or CRD, where this deployment, or one before, creates it first: without it the server can't judge the object. It
 * can judge what waits for others of these, as an admission policy does for all of its stage.
 */
export function awaitedFoundation(
  { key, id }: Pick<DeclaredObject, "key" | "id">,
  desired: Waiting,
  live: LiveObjects,
  earlier = nothingEarlier,
): string | undefined {
  const definition = (on: string) =>
    desired.byKey.get(on)?.object ?? earlier.changes.get(on)?.desired;
  return waitedFor(key, desired)
    .map((edge) => edge.on)
    .filter((on) => !isThere(on, live, earlier))
    .find((on) => {
      if (!on.includes(definitionsKey)) return on === namespaceKey(id.namespace);
      const object = definition(on);
      return object !== undefined && definesKind(object, id);
    });
}

const definitionsKey = ":CustomResourceDefinition::";
