import { parse } from "yaml";
import type { Stage } from "../../src/model/compilation.ts";
import { nameOf } from "../../src/model/object.ts";
import type { Certainty, Plan } from "../../src/model/plan.ts";
import type { Result } from "../../src/model/problem.ts";
import type { History, InventoryEntry, LiveObjects } from "../../src/model/release.ts";
import { objectsToDryRun } from "../../src/plan/cluster-reads.ts";
import { rememberSecrets } from "../../src/plan/declared/former-secrets.ts";
import { settleLateTexts } from "../../src/plan/declared/late-texts.ts";
import { numberRevisions } from "../../src/plan/declared/revisions.ts";
import type { PodUsers } from "../../src/plan/deletions/kept.ts";
import { chooseStage } from "../../src/plan/only-stage.ts";
import { linkObjects } from "../../src/plan/order/edges.ts";
import { ignoreChanges } from "../../src/plan/ownership/ignore-changes.ts";
import { planDeployment } from "../../src/plan/plan.ts";
import { nothingForeseen, type Prediction } from "../../src/plan/prediction.ts";
import { historyOf } from "../../src/releases/history.ts";
import { inventoryAfter } from "../../src/releases/inventory.ts";
import { whyRetired } from "../../src/report/why-retired.ts";
import { declare, placement, problemText } from "./declare.ts";
import { applied, appliedFrom } from "./live.ts";

export interface Situation {
  /** What earlier releases deployed, as manifests: it is in the inventory and live. */
  readonly before?: string;
  readonly declared: string;
  /** More live objects, or others instead of those of `before`. */
  readonly live?: LiveObjects;
  /** Live objects of `before` that are gone by now. */
  readonly gone?: readonly string[];
  readonly inventory?: readonly InventoryEntry[];
  /** Answers of the dry-run by key; by default the server accepts what it is sent. */
  readonly answers?: Readonly<Record<string, Prediction>>;
  readonly allowDelete?: readonly string[];
  readonly keepRevisions?: number;
  readonly history?: History;
  readonly users?: PodUsers;
  readonly purpose?: "diff" | "deploy";
  readonly onlyStage?: Stage;
}

const noHistory = historyOf([]);

/** Goes through the steps of a deployment as the command does, up to the plan. */
export function planOf(situation: Situation): Result<Plan> {
  const { before = "", declared, gone = [], answers = {} } = situation;
  const live = new Map([...appliedFrom(before), ...(situation.live ?? [])]);
  for (const key of gone) live.delete(key);
  const { history = noHistory, users = new Map() } = situation;
  const inventory = situation.inventory ?? inventoryFrom(before);
  const objects = declare(declared);
  const edges = linkObjects(objects, (key) => live.has(key));
  if (!edges.ok) return edges;
  const ignored = ignoreChanges(
    placement.deployment,
    numberRevisions(objects, live, history.revisions),
    live,
  );
  if (!ignored.ok) return ignored;
  const { notices } = ignored.value;
  const settled = settleLateTexts(ignored.value.objects, live);
  const all = rememberSecrets(settled, live, history);
  const { deployment, namespace } = placement;
  const chosen = chooseStage(situation.onlyStage, { deployment, objects: all }, edges.value, live);
  if (!chosen.ok) return chosen;
  const { objects: desired, only } = chosen.value;
  const asked = objectsToDryRun(deployment, desired, edges.value, live);
  return planDeployment({
    deployment,
    namespace,
    desired,
    only,
    edges: edges.value,
    live,
    foreseen: nothingForeseen(
      new Map(asked.map((object) => [object.key, answers[object.key] ?? accepted(object, live)])),
    ),
    inventory,
    history,
    users,
    policy: {
      allowDelete: situation.allowDelete ?? [],
      conflicts: { force: false, takeover: [] },
      keepRevisions: situation.keepRevisions,
    },
    purpose: situation.purpose ?? "deploy",
    notices,
    hash: (text) => `hash of ${text}`,
  });
}

function accepted(object: Parameters<typeof applied>[0], live: LiveObjects): Prediction {
  const predicted = applied(object);
  const uid = live.get(object.key)?.metadata.uid ?? predicted.metadata.uid ?? "";
  return { ok: true, value: { ...predicted, metadata: { ...predicted.metadata, uid } } };
}

/** The inventory that a successful deployment of these manifests records. */
export function inventoryFrom(manifests: string): readonly InventoryEntry[] {
  if ((parse(manifests) ?? undefined) === undefined) return [];
  const plan = planOf({ declared: manifests });
  if (!plan.ok) throw new Error(problemText(plan.problems));
  return inventoryAfter([], plan.value, []);
}

/** A plan as a reviewer would read it. */
export function planText(result: Result<Plan>): string {
  if (!result.ok) return problemText(result.problems);
  const { changes, deletions, kept, awaited = [], notices } = result.value;
  return [
    ...changes.map(
      ({ action, stage, id, certainty }) =>
        `${action} ${nameOf(id)} (${stage}, ${certaintyText(certainty)})`,
    ),
    ...awaited.map(({ id }) => `await ${nameOf(id)}`),
    ...deletions.flatMap(({ id, stage, after, retires }) => [
      `delete ${nameOf(id)} (${stage}${retires === undefined ? "" : `, ${whyRetired(retires)}`})`,
      ...after.map(({ on, reason }) => `  after ${on}: ${reason}`),
    ]),
    ...kept.map(({ id, why, detail }) => `keep ${nameOf(id)} (${why}: ${detail})`),
    ...notices.map(({ what }) => `notice: ${what}`),
  ].join("\n");
}

function certaintyText(certainty: Certainty): string {
  return certainty.by === "unchecked" ? `unchecked: ${certainty.reason}` : certainty.by;
}
