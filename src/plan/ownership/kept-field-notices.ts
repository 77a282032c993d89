import { ignoreChangesAnnotation } from "../../model/annotations.ts";
import { isCustomGroup } from "../../model/cluster/api/built-in-groups.ts";
import { formatIgnoredPath, parseIgnoredPaths } from "../../model/fields/field-path.ts";
import { fieldOf, isObject, type Json, sameJson, textAt } from "../../model/json.ts";
import { isCoreKind, podSpecPath } from "../../model/kinds.ts";
import { annotation, type KubeObject, nameOf } from "../../model/object.ts";
import { withSecretKind } from "../../model/plan/apply-time-reference.ts";
import { type Change, fieldManager } from "../../model/plan/plan.ts";
import { declarationPlaces, type Problem } from "../../model/problems/problem.ts";
import { stages } from "../../model/sources/compilation.ts";
import { existingLeaves, fieldPaths, pickFields, subtractFieldSet } from "../../ssa/field-sets.ts";
import { deploymentFields, fieldOwners, type OwnedFields } from "../../ssa/managed-fields.ts";
import { transferredManagers } from "../../ssa/steps/transfer-ownership.ts";
import type { DesiredObject } from "../declared/objects.ts";
import { restoreReferences } from "../declared/tokens.ts";
import type { PlanInput } from "../plan-input.ts";
import { conflictingField, describeOwner } from "./find-field.ts";

/**
 * Returns notices for fields that stay in the cluster although the manifest suggests otherwise.
 * Other managers own them too, the API server keeps them, or the manifest ignores them.
 */
export function keptFieldNotices(
  desired: DesiredObject,
  change: Change,
  { rules: { deployment }, desired: { foreign }, observed: { history } }: PlanInput,
): readonly Problem[] {
  const { live, action } = change;
  const isKept = action === "update" || action === "unchanged";
  if (live === undefined || !isKept || foreign.has(change.key)) return [];
  const sent = history.sent.get(change.key);
  const before = sent ?? pickFields(live, deploymentFields(live, deployment));
  return [
    ...(isObject(before) ? sharedFieldNotices(desired, change, before, deployment) : []),
    ...headlessNotices(desired, change, before),
    ...serviceAccountNotices(desired, change, before),
    ...(sent === undefined ? [] : ignoredValues(desired, change, sent)),
  ];
}

/**
 * Returns a notice for a Service that stays headless.
 * An update without an address keeps the existing one, and "None" counts as an address. The API
 * server rejects neither the dry run nor the deployment.
 */
function headlessNotices(
  { id, object }: DesiredObject,
  { live, predicted }: Change,
  before: Json | undefined,
): readonly Problem[] {
  const clusterIp = (service: Json | undefined) => textAt(service, "spec", "clusterIP");
  const isService = isCoreKind(id, "Service");
  const isUndeclared = clusterIp(before) === "None" && clusterIp(object) === undefined;
  if (!isService || !isUndeclared || clusterIp(predicted ?? live) !== "None") return [];
  const name = nameOf(id);
  return [
    {
      code: "kept-field",
      subjects: [name],
      what: `${name}: spec.clusterIP is no longer declared but stays None`,
      why: "An existing Service keeps its address, so this one gets no cluster IP",
      fix: "Declare clusterIP: None again",
      otherwise: [
        "give the Service another name to get a cluster IP",
        "delete the Service first to get a cluster IP",
      ],
      where: [],
    },
  ];
}

/**
 * Returns a notice for a Pod template that keeps its ServiceAccount. The API server also stores it
 * in the deprecated field `serviceAccount`, which has no owner, and restores it from there.
 */
function serviceAccountNotices(
  { id, object }: DesiredObject,
  { live, predicted }: Change,
  before: Json | undefined,
): readonly Problem[] {
  const path = podSpecPath(id);
  if (path === undefined || isCustomGroup(id.group)) return [];
  const accountOf = (workload: Json | undefined) => textAt(workload, ...path, "serviceAccountName");
  const declared = accountOf(before);
  const isDropped = declared !== undefined && accountOf(object) === undefined;
  if (!isDropped || accountOf(predicted ?? live) !== declared) return [];
  const name = nameOf(id);
  return [
    {
      code: "kept-field",
      subjects: [name],
      what: `${name}: ${path.join(".")}.serviceAccountName is no longer declared but stays`,
      why: "The API server restores it from the deprecated field serviceAccount, so its Pods keep the permissions",
      fix: "Declare serviceAccountName: default",
      where: [],
    },
  ];
}

function sharedFieldNotices(
  desired: DesiredObject,
  change: Change,
  before: Json,
  deployment: string,
): readonly Problem[] {
  const declared = desired.ignoring?.declared ?? desired.object;
  const after = change.predicted ?? change.live ?? declared;
  return remainingOwners(change, after, deployment).flatMap((owner) => {
    // If the object moved here from another deployment, no one else would ever give up the fields
    // of that deployment.
    const shared =
      previousDeployment(owner) !== undefined ? owner.fields : existingLeaves(owner.fields, before);
    const dropped = subtractFieldSet(shared, existingLeaves(owner.fields, declared));
    const paths = fieldPaths(existingLeaves(dropped, after));
    if (paths.length === 0) return [];
    return [sharedFieldNotice(knownOwner(owner, change.live), desired, paths)];
  });
}

function sharedFieldNotice(
  owner: OwnedFields,
  { id }: DesiredObject,
  paths: readonly string[],
): Problem {
  const { manager } = owner;
  const previous = previousDeployment(owner);
  const name = nameOf(id);
  const isOne = paths.length === 1;
  const them = isOne ? "it" : "them";
  const about = { code: "kept-field", subjects: [name], where: [] } as const;
  const facts = [
    ...(isOne ? [] : [{ label: "fields", value: paths.join(", ") }]),
    { label: "owner", value: describeOwner(owner) },
  ];
  if (previous !== undefined) {
    return {
      ...about,
      what: `${name}: ${isOne ? `${paths[0]} isn't declared but stays` : `${paths.length} fields aren't declared but stay`}`,
      why: `The deployment ${previous} managed the object before and still owns ${them}`,
      facts,
      fix: `Declare ${them}`,
      otherwise: [
        `take ownership with --takeover=${manager}, which removes the fields that aren't declared`,
      ],
    };
  }
  return {
    ...about,
    what: `${name}: ${isOne ? `${paths[0]} is no longer declared but stays` : `${paths.length} fields are no longer declared but stay`}`,
    why: `Another field manager also owns ${them}`,
    facts,
    fix: `Nothing to do if ${manager} must keep ${them}`,
    otherwise: removalAdvice(owner, them),
    ...(owner.subresource === "" ? { inputs: [`takeover: ${manager}`] } : {}),
  };
}

/** Returns the other deployment whose field manager this is; undefined for other tools. */
function previousDeployment({ manager, operation, subresource }: OwnedFields): string | undefined {
  if (operation !== "Apply" || subresource !== "") return undefined;
  const [, name] = /^qvs-(.+)-(?:appSetup|app)$/.exec(manager) ?? [];
  return name;
}

/**
 * Returns the advice for removing fields.
 * Taking ownership doesn't include fields that were written through a subresource.
 */
function removalAdvice({ manager, subresource }: OwnedFields, them: string): readonly string[] {
  const first =
    subresource === ""
      ? `take ownership of all fields of ${manager} with --takeover=${manager}, which removes the fields that aren't declared`
      : `let ${manager} give ${them} up`;
  return [first, `remove ${them} from the live object manually`];
}

/**
 * Returns the owner as recorded in the live object, because a dry run doesn't always show the time.
 */
function knownOwner(owner: OwnedFields, live: KubeObject | undefined): OwnedFields {
  const before = (live === undefined ? [] : fieldOwners(live)).find(
    ({ manager, operation, subresource }) =>
      manager === owner.manager &&
      operation === owner.operation &&
      subresource === owner.subresource,
  );
  return before ?? owner;
}

/** Lists the field managers, except this deployment's, that own fields after the change. */
function remainingOwners(
  { steps }: Change,
  after: KubeObject,
  deployment: string,
): readonly OwnedFields[] {
  const own = stages.map((stage) => fieldManager(deployment, stage));
  const excluded = new Set([...own, ...(transferredManagers(steps) ?? [])]);
  return fieldOwners(after).filter(({ manager }) => !excluded.has(manager));
}

/** Returns notices for new values that aren't deployed because the manifest ignores them. */
function ignoredValues(
  desired: DesiredObject,
  change: Change,
  sent: KubeObject,
): readonly Problem[] {
  const { ignoring, references } = desired;
  if (ignoring === undefined) return [];
  const declared = restoreReferences({ ...desired, object: ignoring.declared });
  const live = change.predicted ?? change.live;
  // The fields of controllers follow the paths of the annotation, and have their own notices.
  const written = parseIgnoredPaths(annotation(declared, ignoreChangesAnnotation) ?? "");
  return ignoring.paths.slice(0, written.length).flatMap((steps) => {
    const path = formatIgnoredPath(steps);
    const names = steps.flatMap((step) => (step.type === "field" ? [step.name] : []));
    const [declaredValues, sentValues] = [declared, sent].map((object) =>
      valuesAtPath(object, steps),
    );
    if (
      sameJson(declaredValues ?? [], sentValues ?? []) ||
      sameJson(declaredValues ?? [], valuesAtPath(live, steps))
    )
      return [];
    const isPlain = names.length === steps.length && references.length === 0;
    const showable = withSecretKind(ignoring.declared, desired);
    const { values } = isPlain
      ? conflictingField(showable, live, { field: `.${names.join(".")}` })
      : { values: [] };
    const isRemoved = declaredValues?.length === 0;
    const changeText = isRemoved ? "is no longer declared" : "has a new value";
    return [
      {
        code: "ignored-value",
        subjects: [nameOf(desired.id)],
        what: `${nameOf(desired.id)}: ${path} ${changeText} but doesn't change in the cluster`,
        why: `The annotation ${ignoreChangesAnnotation} names it`,
        facts: isRemoved ? [] : values,
        fix: `Remove the path from the annotation to ${isRemoved ? "remove the field" : "deploy the new value"}`,
        where: declarationPlaces(desired),
      } satisfies Problem,
    ];
  });
}

type IgnoredPathSteps = NonNullable<DesiredObject["ignoring"]>["paths"][number];

/** Returns the values at a path; `*` leads to all items of a list. */
function valuesAtPath(value: Json | undefined, [step, ...rest]: IgnoredPathSteps): readonly Json[] {
  if (step === undefined) return value === undefined ? [] : [value];
  if (step.type === "field") {
    return isObject(value) ? valuesAtPath(fieldOf(value, step.name), rest) : [];
  }
  if (!Array.isArray(value)) return [];
  const items: readonly Json[] = value;
  const chosen = step.type === "index" ? items.slice(step.index, step.index + 1) : items;
  return chosen.flatMap((item) => valuesAtPath(item, rest));
}
