import { warningNotices } from "../model/cluster/api/api-warnings.ts";
import type { LiveObjects } from "../model/deployments/release.ts";
import { type KubeObject, keyOf, nameFromKey, nameOf, type ObjectId } from "../model/object.ts";
import { referencesSecret } from "../model/plan/apply-time-reference.ts";
import type { KeptObject } from "../model/plan/deletion.ts";
import type { Change } from "../model/plan/plan.ts";
import type { Fixes, Problem } from "../model/problems/problem.ts";
import {
  type DeploymentIdentity,
  deletionProtection,
  describeOtherDeployment,
  isOutsideNamespace,
  matchesDeploymentName,
} from "../ssa/protection.ts";
import { groupProblems } from "./changes/problems/record-fixes.ts";
import type { DesiredObject } from "./declared/objects.ts";
import type { WorkloadsByNamespace } from "./deletions/kept-objects.ts";
import { helmReleaseNotices } from "./ownership/helm-releases.ts";
import { keptFieldNotices } from "./ownership/kept-field-notices.ts";
import { ownershipNotices } from "./ownership/ownership.ts";
import type { Observed, PlanInput, PlanRules } from "./plan-input.ts";

/**
 * Returns notices for objects that this deployment applied, and that no release records any more.
 * A user might have deleted the releases. Only kinds that qvs reads anyway are checked. qvs never
 * deletes unrecorded objects.
 */
function unrecordedNotices(
  { rules, observed: { live, inventory } }: PlanInput,
  declared: readonly DesiredObject[],
): readonly Problem[] {
  // A release that can't be read might record them.
  if (rules.keepAllReason !== undefined) return [];
  const advice =
    rules.deletes === true
      ? { fix: "Delete it manually if no one needs it" }
      : { fix: "Declare it again", otherwise: ["delete it manually if no one needs it"] };
  const known = new Set([
    ...inventory.map(({ id }) => keyOf(id)),
    ...declared.map(({ key }) => key),
  ]);
  return [...live].flatMap(([key, object]): readonly Problem[] => {
    if (known.has(key) || !matchesDeploymentName(object, rules.deployment)) return [];
    if (object.metadata.deletionTimestamp !== undefined) return [];
    if (deletionProtection(object, rules) !== undefined) return [];
    const name = nameFromKey(key);
    return [
      {
        code: "kept-object",
        subjects: [name],
        what: `${name}: applied by this deployment, but not recorded in any release`,
        why: "qvs never deletes an object that no release records",
        ...advice,
        where: [],
      },
    ];
  });
}

interface NoticeInput {
  /** The objects with their changes, each planned separately. */
  readonly planned: readonly { readonly object: DesiredObject; readonly change: Change }[];
  /** All declared objects, planned or not. */
  readonly declared: readonly DesiredObject[];
  /** The changes with the objects that Kubernetes deletes with them. */
  readonly changes: readonly Change[];
  readonly kept: readonly KeptObject[];
}

/** Lists the information for a reader of the plan that blocks nothing. */
export function planNotices(
  input: PlanInput,
  { planned, declared, changes, kept }: NoticeInput,
): readonly Problem[] {
  const { rules, desired, observed } = input;
  return [
    ...desired.notices,
    ...groupProblems([
      ...changeNotices(changes, kept, rules, observed),
      ...unrecordedNotices(input, declared),
    ]),
    ...helmReleaseNotices(changes),
    ...planned.flatMap(({ object, change }) => keptFieldNotices(object, change, input)),
    ...(rules.policy.keepRevisions === undefined ? [] : unknownUsageNotices(observed.users)),
  ];
}

function changeNotices(
  changes: readonly Change[],
  kept: readonly KeptObject[],
  owner: DeploymentIdentity & Pick<PlanRules, "deletes">,
  observed: Observed,
): readonly Problem[] {
  const { live } = observed;
  const deployed = deployingReleases(observed);
  const stayText =
    owner.deletes === true ? "stays in the cluster" : "is no longer declared but stays";
  return [
    ...changes.flatMap((change) =>
      ownershipNotices(change, owner.deployment, deployed.get(change.key)),
    ),
    ...changes.flatMap((change) => hiddenValueNotices(change, owner)),
    ...warningNotices(changes),
    ...kept.filter(({ why }) => why === "met before").map(keptAdoptedNotice),
    ...kept.flatMap((one) => keptNotices(one, stayText, owner, live)),
  ];
}

/** Returns a notice for an object that belongs to another owner, or moves to another deployment. */
function keptNotices(
  { key, id, why, detail, claim }: KeptObject,
  stayText: string,
  owner: DeploymentIdentity,
  live: LiveObjects,
): readonly Problem[] {
  if (why !== "not ours" && why !== "declared elsewhere") return [];
  const fixes = why === "not ours" ? foreignFix(id, claim, owner, live.get(key)) : moveFix(claim);
  return [
    {
      code: "kept-object",
      subjects: [nameOf(id)],
      what: `${nameOf(id)} ${stayText}`,
      why: `qvs doesn't delete it, because ${detail}`,
      ...fixes,
      where: [],
    },
  ];
}

function foreignFix(
  id: ObjectId,
  claim: string | undefined,
  owner: DeploymentIdentity,
  live: KubeObject | undefined,
): Fixes {
  if (isOutsideNamespace(id, owner)) return carefulFix(claim);
  const other = live === undefined ? undefined : describeOtherDeployment(live, owner);
  // The other deployment would create a deleted object again, and its users would fail until then.
  return { fix: other === undefined ? manualDeletionFix : `Nothing to do if ${other} declares it` };
}

/** Returns the fix for an object that another deployment of the same run declares. */
function moveFix(claim: string | undefined): Fixes {
  if (claim === undefined) return { fix: "Fix the config of that deployment, then run again" };
  return {
    fix: `Hand it over, then run again: ${claim}`,
    otherwise: ["declare it in this deployment again"],
  };
}

/**
 * Returns the newest release that declared each object, by key.
 * It includes only objects that releases sent and that none deleted since.
 */
function deployingReleases({ inventory, history }: Observed): ReadonlyMap<string, number> {
  const keys = inventory.map(({ id }) => keyOf(id)).filter((key) => history.sent.has(key));
  return new Map(keys.map((key) => [key, history.lastDeclared.get(key) ?? history.newest]));
}

/**
 * Returns the notice for a pre-existing object that stays.
 * Its fields stay as this deployment wrote them last.
 */
function keptAdoptedNotice({ id, detail }: KeptObject): Problem {
  return {
    code: "kept-object",
    subjects: [nameOf(id)],
    what: `${nameOf(id)} isn't declared but stays`,
    why: `qvs doesn't delete it, because ${detail}. Fields that this deployment set stay in it`,
    fix: "Check the content of the object",
    otherwise: ["delete it manually if no one needs it"],
    where: [],
  };
}

/**
 * Returns a notice if only records cause strings to be hidden.
 * A forged record could hide a change from the reader of a preview. If the manifest itself takes a
 * Secret's value, hidden strings are no surprise.
 */
function hiddenValueNotices(change: Change, { namespace }: DeploymentIdentity): readonly Problem[] {
  const { id, action, applyTimeReferences, previousSecretValues = [] } = change;
  if (
    action === "unchanged" ||
    previousSecretValues.length === 0 ||
    referencesSecret(applyTimeReferences)
  )
    return [];
  return [
    {
      code: "hidden-values",
      subjects: [nameOf(id)],
      what: `${nameOf(id)}: strings that came from Secrets are hidden`,
      why: `Releases in namespace ${namespace} record that they came from Secrets. Anyone who can write Secrets there can change the releases`,
      fix: "Find out who changed the releases if no value of the object ever came from a Secret",
      where: [],
    },
  ];
}

const manualDeletionFix = "Delete it manually if no one needs it";

/** Returns a careful fix: a user who wants the object deleted might have changed a release. */
function carefulFix(claim: string | undefined): Fixes {
  const fix = "Keep it unless you know that this deployment created it";
  if (claim === undefined) return { fix };
  return {
    fix,
    otherwise: [
      "delete it manually if this deployment created it",
      `let the next deployment delete it in that case: ${claim}`,
    ],
  };
}

/** Returns a notice for each namespace whose kept objects might still be used. */
function unknownUsageNotices(users: WorkloadsByNamespace): readonly Problem[] {
  return [...users].flatMap(([namespace, found]) =>
    typeof found === "string"
      ? [
          {
            code: "missing-permission",
            what: `Namespace ${namespace}: the workloads that use kept objects can't be listed`,
            why: "qvs deletes none of the kept objects, because they might still be used",
            facts: [{ label: "answer", value: found }],
            fix: `Allow this identity to list Pods and the objects that create them in namespace ${namespace}`,
            where: [],
          },
        ]
      : [],
  );
}
