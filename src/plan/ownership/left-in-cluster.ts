import { ignoreChangesAnnotation } from "../../model/annotations.ts";
import { withSecretKind } from "../../model/apply-time-reference.ts";
import { stages } from "../../model/compilation.ts";
import { formatIgnoredPath, parseIgnoredPaths } from "../../model/fields/ignored-paths.ts";
import { fieldOf, isObject, type Json, sameJson, textAt } from "../../model/json.ts";
import { annotation, type KubeObject, nameOf } from "../../model/object.ts";
import { type Change, fieldManager } from "../../model/plan.ts";
import { declarationPlaces, type Problem } from "../../model/problems/problem.ts";
import { fieldsWithin, onlyFields, pathsOfFields, withoutFields } from "../../ssa/field-sets.ts";
import { type OwnedFields, ownersOf, ownFields } from "../../ssa/managed-fields.ts";
import { managersTakenOver } from "../../ssa/steps/transfer-ownership.ts";
import type { DesiredObject } from "../declared/objects.ts";
import { withReferences } from "../declared/tokens.ts";
import type { PlanInput } from "../plan-input.ts";
import { conflictingField } from "./conflicting-field.ts";
import { describeOwner } from "./describe-owner.ts";

/**
 * Returns notices for fields that stay in the cluster although the manifest suggests otherwise.
 * Other managers own them too, a Service keeps its address, or the manifest ignores them.
 */
export function leftInCluster(
  desired: DesiredObject,
  change: Change,
  { rules: { deployment }, desired: { foreign }, observed: { history } }: PlanInput,
): readonly Problem[] {
  const { live, action } = change;
  const isKept = action === "update" || action === "unchanged";
  if (live === undefined || !isKept || foreign.has(change.key)) return [];
  const sent = history.sent.get(change.key);
  const before = sent ?? onlyFields(live, ownFields(live, deployment));
  return [
    ...(isObject(before) ? ownedByOthers(desired, change, before, deployment) : []),
    ...staysHeadless(desired, change, before),
    ...(sent === undefined ? [] : ignoredValues(desired, change, sent)),
  ];
}

/**
 * Returns a notice for a Service that stays headless.
 * An update without an address keeps the existing one, and "None" counts as an address. The API
 * server rejects neither the dry run nor the deployment.
 */
function staysHeadless(
  { id, object }: DesiredObject,
  { live, predicted }: Change,
  before: Json | undefined,
): readonly Problem[] {
  const addressIn = (service: Json | undefined) => textAt(service, "spec", "clusterIP");
  const isService = id.group === "" && id.kind === "Service";
  const isTold = addressIn(before) === "None" && addressIn(object) === undefined;
  if (!isService || !isTold || addressIn(predicted ?? live) !== "None") return [];
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

function ownedByOthers(
  desired: DesiredObject,
  change: Change,
  before: Json,
  deployment: string,
): readonly Problem[] {
  const declared = desired.ignoring?.declared ?? desired.object;
  const after = change.predicted ?? change.live ?? declared;
  return ownersAfter(change, after, deployment).flatMap((owner) => {
    // If the object moved here from another deployment, no one else would ever give up the fields
    // of that deployment.
    const shared =
      formerDeployment(owner) !== undefined ? owner.fields : fieldsWithin(owner.fields, before);
    const dropped = withoutFields(shared, fieldsWithin(owner.fields, declared));
    const paths = pathsOfFields(fieldsWithin(dropped, after));
    if (paths.length === 0) return [];
    return [keptBy(knownOwner(owner, change.live), desired, paths)];
  });
}

function keptBy(owner: OwnedFields, { id }: DesiredObject, paths: readonly string[]): Problem {
  const { manager } = owner;
  const former = formerDeployment(owner);
  const name = nameOf(id);
  const isOne = paths.length === 1;
  const them = isOne ? "it" : "them";
  const about = { code: "kept-field", subjects: [name], where: [] } as const;
  const facts = [
    ...(isOne ? [] : [{ label: "fields", value: paths.join(", ") }]),
    { label: "owner", value: describeOwner(owner) },
  ];
  if (former !== undefined) {
    return {
      ...about,
      what: `${name}: ${isOne ? `${paths[0]} isn't declared but stays` : `${paths.length} fields aren't declared but stay`}`,
      why: `The deployment ${former} managed the object before and still owns ${them}`,
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
    otherwise: waysToRemove(owner, them),
    ...(owner.subresource === "" ? { inputs: [`takeover: ${manager}`] } : {}),
  };
}

/** Returns the other deployment whose field manager this is; undefined for other tools. */
function formerDeployment({ manager, operation, subresource }: OwnedFields): string | undefined {
  if (operation !== "Apply" || subresource !== "") return undefined;
  const [, name] = /^qvs-(.+)-(?:appSetup|app)$/.exec(manager) ?? [];
  return name;
}

/**
 * Returns the advice for removing fields.
 * Taking ownership doesn't include fields that were written through a subresource.
 */
function waysToRemove({ manager, subresource }: OwnedFields, them: string): readonly string[] {
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
  const before = (live === undefined ? [] : ownersOf(live)).find(
    ({ manager, operation, subresource }) =>
      manager === owner.manager &&
      operation === owner.operation &&
      subresource === owner.subresource,
  );
  return before ?? owner;
}

/** Lists the field managers, except this deployment's, that own fields after the change. */
function ownersAfter(
  { steps }: Change,
  after: KubeObject,
  deployment: string,
): readonly OwnedFields[] {
  const own = stages.map((stage) => fieldManager(deployment, stage));
  const gone = new Set([...own, ...(managersTakenOver(steps) ?? [])]);
  return ownersOf(after).filter(({ manager }) => !gone.has(manager));
}

/** Returns notices for new values that aren't deployed because the manifest ignores them. */
function ignoredValues(
  desired: DesiredObject,
  change: Change,
  sent: KubeObject,
): readonly Problem[] {
  const { ignoring, references } = desired;
  if (ignoring === undefined) return [];
  const declared = withReferences({ ...desired, object: ignoring.declared });
  const live = change.predicted ?? change.live;
  // The fields of controllers follow the paths of the annotation, and have their own notices.
  const written = parseIgnoredPaths(annotation(declared, ignoreChangesAnnotation) ?? "");
  return ignoring.paths.slice(0, written.length).flatMap((steps) => {
    const path = formatIgnoredPath(steps);
    const names = steps.flatMap((step) => (step.type === "field" ? [step.name] : []));
    const [now, then] = [declared, sent].map((object) => valuesAt(object, steps));
    if (sameJson(now ?? [], then ?? []) || sameJson(now ?? [], valuesAt(live, steps))) return [];
    const isPlain = names.length === steps.length && references.length === 0;
    const spoken = withSecretKind(ignoring.declared, desired);
    const { values } = isPlain
      ? conflictingField(spoken, live, { field: `.${names.join(".")}` })
      : { values: [] };
    const isGone = now?.length === 0;
    const said = isGone ? "is no longer declared" : "has a new value";
    return [
      {
        code: "ignored-value",
        subjects: [nameOf(desired.id)],
        what: `${nameOf(desired.id)}: ${path} ${said} but doesn't change in the cluster`,
        why: `The annotation ${ignoreChangesAnnotation} names it`,
        facts: isGone ? [] : values,
        fix: `Remove the path from the annotation to ${isGone ? "remove the field" : "deploy the new value"}`,
        where: declarationPlaces(desired),
      } satisfies Problem,
    ];
  });
}

type Steps = NonNullable<DesiredObject["ignoring"]>["paths"][number];

/** Returns the values at a path; `*` leads to all items of a list. */
function valuesAt(value: Json | undefined, [step, ...rest]: Steps): readonly Json[] {
  if (step === undefined) return value === undefined ? [] : [value];
  if (step.type === "field") {
    return isObject(value) ? valuesAt(fieldOf(value, step.name), rest) : [];
  }
  if (!Array.isArray(value)) return [];
  const items: readonly Json[] = value;
  const chosen = step.type === "index" ? items.slice(step.index, step.index + 1) : items;
  return chosen.flatMap((item) => valuesAt(item, rest));
}
