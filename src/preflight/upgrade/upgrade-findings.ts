import type { ServerVersion } from "../../model/cluster/api/server-version.ts";
import { fieldPath } from "../../model/fields/field-path.ts";
import { addressOf, idOf, type KubeObject, keyOf, nameOf } from "../../model/object.ts";
import type { AffectedSide, Finding } from "../../model/problems/finding.ts";
import { declarationPlaces, type Position } from "../../model/problems/problem.ts";
import { forbiddenUpdates } from "../../validation/forbidden-changes.ts";
import { changedFormats, changedPodSecurity } from "./changed-admission.ts";
import { changedDefaults } from "./changed-defaults.ts";
import { changedValidation } from "./changed-validation.ts";
import { gatedFields, missingFields } from "./missing-fields.ts";
import { removedKinds } from "./removed-kinds.ts";
import {
  isUnserved,
  type UpgradeContext,
  type UpgradeProblem,
  type UpgradeRule,
} from "./upgrade.ts";

/** Everything that is checked against another version of Kubernetes. */
export interface UpgradeInput extends Omit<UpgradeContext, "deployedObject"> {
  /** The current release; undefined if there is none, or if it can't be read. */
  readonly deployed: DeployedObjects | undefined;
  /** The objects of this change. */
  readonly declared: readonly DeclaredManifest[];
}

export interface DeployedObjects {
  readonly release: number;
  readonly objects: readonly KubeObject[];
}

export interface DeclaredManifest {
  readonly object: KubeObject;
  readonly where?: Position | undefined;
}

const rules: readonly UpgradeRule[] = [
  removedKinds,
  missingFields,
  gatedFields,
  changedValidation,
  changedPodSecurity,
  changedFormats,
  changedDefaults,
];

/**
 * Predicts how the other version of Kubernetes treats the deployed release and this change. A
 * finding names the ones that it affects.
 */
export function upgradeFindings(input: UpgradeInput): readonly Finding[] {
  const { deployed, declared } = input;
  const byKey = objectsByKey(deployed?.objects ?? []);
  const declaredByKey = objectsByKey(declared.map(({ object }) => object));
  const context = {
    ...input,
    deployedObject: (object: KubeObject) => byKey.get(keyOf(idOf(object))),
  };
  const found = [
    ...(deployed?.objects ?? []).flatMap((object) => affected(object, "deployed", context)),
    ...declared.flatMap(({ object, where }) => [
      ...affected(object, "change", context, where),
      ...changedUpdates(object, context).map((problem) => ({
        ...{ problem, object, where, side: "change" as const },
      })),
    ]),
  ];
  const grouped = Map.groupBy(found, ({ object, problem }) =>
    JSON.stringify([keyOf(idOf(object)), problem.code, problem.what]),
  );
  return [...grouped.values()]
    .map((same) => toFinding(same, input, declaredByKey))
    .toSorted((a, b) => compareTexts(sortKey(a), sortKey(b)));
}

interface AffectedObject {
  readonly object: KubeObject;
  readonly problem: UpgradeProblem;
  readonly side: AffectedSide;
  readonly where: Position | undefined;
}

function affected(
  object: KubeObject,
  side: AffectedSide,
  context: UpgradeContext,
  where?: Position,
): readonly AffectedObject[] {
  return rules
    .flatMap((rule) => rule(object, context))
    .map((problem) => ({ object, problem, side, where }));
}

/** Reports changes of deployed objects that only the other server rejects. */
function changedUpdates(object: KubeObject, context: UpgradeContext): readonly UpgradeProblem[] {
  const { next, server, target } = context;
  const before = context.deployedObject(object);
  if (before === undefined || server === undefined) return [];
  const causes = (version: ServerVersion) => forbiddenUpdates(before, object, version);
  const now = new Set(causes(server).map(({ field }) => field));
  return causes(next)
    .filter(({ field }) => !now.has(field))
    .map(({ field = "" }) => ({
      code: "changed-validation",
      severity: "warning",
      what: `Kubernetes ${target.version} rejects the change of ${field}`,
      since: `not in Kubernetes ${target.version}`,
      why: "The field is immutable in this version",
      fix: deployFix(object, context),
      path: field.split("."),
    }));
}

function objectsByKey(objects: readonly KubeObject[]): ReadonlyMap<string, KubeObject> {
  return new Map(objects.map((object) => [keyOf(idOf(object)), object]));
}

function toFinding(
  same: readonly AffectedObject[],
  input: UpgradeInput,
  declared: ReadonlyMap<string, KubeObject>,
): Finding {
  const [{ object, problem }] = same as readonly [AffectedObject];
  const { what, why, severity, code, since, paste, path } = problem;
  const sides = new Set(same.map(({ side }) => side));
  const affects = (["deployed", "change"] as const).filter((side) => sides.has(side));
  const isFixed = !sides.has("change");
  const { version } = input.target;
  const release = input.deployed?.release;
  return {
    ...{ code, severity, why, object: addressOf(object) },
    what: `${nameOf(idOf(object))}: ${what}`,
    fix: isFixed ? deployFix(declared.get(keyOf(idOf(object))), input) : problem.fix,
    ...(paste === undefined || isFixed ? {} : { paste }),
    ...(path === undefined ? {} : { path }),
    facts: [
      ...(path === undefined ? [] : [{ label: "field", value: fieldPath(path) }]),
      { label: "versions", value: since },
      { label: "affects", value: affectsText(affects, input) },
    ],
    upgrade: { version, since, affects, ...(release === undefined ? {} : { release }) },
    where: same.flatMap(({ where }) => declarationPlaces({ where })).slice(0, 1),
  };
}

/** Names the time to deploy a change of this object; undefined if the change deletes it. */
function deployFix(
  object: KubeObject | undefined,
  context: Pick<UpgradeContext, "target" | "server">,
): string {
  return object !== undefined && isUnserved(object, context)
    ? `Deploy this change right after the upgrade, because this server doesn't have ${object.apiVersion}`
    : `Deploy this change before the cluster has Kubernetes ${context.target.version}`;
}

/** Names the affected sides, such as `release 7 (deployed) and this change`. */
function affectsText(affects: readonly AffectedSide[], { deployed }: UpgradeInput): string {
  const release = deployed === undefined ? "" : `release ${deployed.release} (deployed)`;
  if (affects.length === 2) return `${release} and this change`;
  if (affects.includes("deployed")) return `${release}, fixed by this change`;
  return deployed === undefined ? "this change" : `this change, not ${release}`;
}

function sortKey({ severity, object, code, what }: Finding): string {
  const rank = severity === "note" ? 1 : 0;
  return [rank, object.kind, object.namespace, object.name, code, what].join(" ");
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
