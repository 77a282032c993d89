import type { Resource } from "../../model/compilation.ts";
import { textAt } from "../../model/json.ts";
import { nameFromKey, type ObjectId } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import { diffSuccession } from "../diff/live-diff.ts";
import { manifestTextDiff } from "../diff/manifest-diff.ts";
import type { TextDiff } from "../diff/text-diff.ts";
import { manifestFields } from "./manifest-row.ts";
import type { Row } from "./row.ts";
import type { TracedReport } from "./traced-row.ts";

interface Predecessor {
  readonly key: string;
  readonly name: string;
  readonly diff: TextDiff | undefined;
  readonly fields: Row["fields"];
}

/**
 * Returns the object that a new object replaces, from the release records or from the two commits.
 */
export function findPredecessor(change: Change, report: TracedReport): Predecessor | undefined {
  if (change.live !== undefined || change.action !== "create") return undefined;
  const { plan, attributions, manifests } = report;
  const manifest = manifests.get(`${change.stage}/${change.resource}`);
  const declared = manifest?.type === "renamed" ? manifest : undefined;
  const deletion = declared && plan?.deletions.find(({ id }) => isNamed(declared.before, id));
  const succession = attributions?.successions.get(change.key);
  const key = succession?.predecessor ?? deletion?.key;
  if (key === undefined) return undefined;
  const fields = declared === undefined ? [] : manifestFields(declared);
  const diff =
    (declared && manifestTextDiff(declared)) ??
    (succession && diffSuccession(change, succession, plan?.hides));
  return { key, name: nameFromKey(key), diff, fields };
}

/** Reports whether a manifest has this name. Its namespace is optional: the deployment has one. */
function isNamed(resource: Resource, { kind, namespace, name }: ObjectId): boolean {
  if (resource.type !== "manifest" || resource.object.kind !== kind) return false;
  const declared = textAt(resource.object, "metadata", "namespace") ?? namespace;
  return textAt(resource.object, "metadata", "name") === name && declared === namespace;
}
