import type { LiveObjects } from "../model/deployments/release.ts";
import { nameOf, type ObjectId } from "../model/object.ts";
import { selectReferences } from "../model/plan/apply-time-reference.ts";
import { noHooksFix } from "../model/plan/deletion.ts";
import type { Change } from "../model/plan/plan.ts";
import type { Problem } from "../model/problems/problem.ts";
import { summarizeList } from "../model/text/suggest.ts";
import {
  type DeploymentIdentity,
  foreignProtection,
  isOutsideNamespace,
} from "../ssa/protection.ts";
import type { DesiredObject } from "./declared/objects.ts";

type RestorableObject = Pick<DesiredObject, "key" | "id" | "applyTimeReferences">;

/** The deployment whose record is used. A deletion only writes the recorded hooks. */
type RecordUser = DeploymentIdentity & { readonly deletes?: true | undefined };

/** The objects of a record that are rejected, and the limits for planning the rest. */
export interface RecordRestrictions {
  readonly problems: readonly Problem[];
  /**
   * Keys of objects that exist, or that would reveal values of such objects. qvs neither compares
   * nor sends them.
   */
  readonly unplanned: ReadonlySet<string>;
  /**
   * Keys of objects that don't exist. qvs can show that, but doesn't ask the API server about them.
   */
  readonly absent: ReadonlySet<string>;
}

/**
 * Returns the objects that a rollback must not create or change.
 * Anyone who can write Secrets in the namespace of the releases can forge a record. A rollback
 * could then write objects that this user isn't allowed to write.
 * Outside that namespace, a record can change only live objects with the identity of the
 * deployment, which can't be forged with it. The check must run before any dry run, because a dry
 * run would reveal objects of other owners.
 */
export function restrictRecord(
  objects: readonly RestorableObject[],
  live: LiveObjects,
  owner: RecordUser,
): RecordRestrictions {
  const outside = objects.filter(({ id }) => isOutsideNamespace(id, owner));
  const absent = outside.filter(({ key }) => !live.has(key));
  const foreign = outside.filter(({ key }) => {
    const found = live.get(key);
    return found !== undefined && foreignProtection(found, owner) !== undefined;
  });
  const copies = copyingObjects(outside, objects);
  return {
    problems: [
      ...foreignObjectProblems([...absent, ...foreign], owner),
      ...copiedSecretProblems(copies, owner),
    ],
    unplanned: withReaders([...foreign, ...copies], objects),
    absent: new Set(absent.map(({ key }) => key)),
  };
}

/** Adds the objects that take values from these objects, directly or through others. */
function withReaders(
  refused: readonly RestorableObject[],
  objects: readonly RestorableObject[],
): ReadonlySet<string> {
  const keys = new Set(refused.map(({ key }) => key));
  const readers = objects.filter(
    ({ key, applyTimeReferences }) =>
      !keys.has(key) &&
      applyTimeReferences
        .flatMap(({ pieces }) => selectReferences(pieces))
        .some(({ on }) => keys.has(on)),
  );
  return readers.length === 0 ? keys : withReaders([...refused, ...readers], objects);
}

function foreignObjectProblems(
  foreign: readonly RestorableObject[],
  owner: RecordUser,
): readonly Problem[] {
  if (foreign.length === 0) return [];
  return [
    {
      code: "outside-namespace",
      what: `${subjectOf(owner)} would write objects outside namespace ${owner.namespace}`,
      why: `They don't exist or don't belong to deployment "${owner.deployment}". ${forgeryWarning(owner)}`,
      facts: [{ label: "objects", value: objectNames(foreign) }],
      ...reviewFixes(owner),
      where: [],
    },
  ];
}

/**
 * Lists the objects that copy values of Secrets outside the namespace.
 * The cluster can write a value, such as a token, into a Secret of this deployment. A forged record
 * could copy it to a readable place.
 */
function copyingObjects(
  outside: readonly RestorableObject[],
  objects: readonly RestorableObject[],
): readonly RestorableObject[] {
  const keys = new Set(outside.map(({ key }) => key));
  return objects.filter(({ applyTimeReferences }) =>
    applyTimeReferences
      .flatMap(({ pieces }) => selectReferences(pieces))
      .some(({ on, secret }) => secret && keys.has(on)),
  );
}

function copiedSecretProblems(
  copies: readonly RestorableObject[],
  owner: RecordUser,
): readonly Problem[] {
  if (copies.length === 0) return [];
  return [
    {
      code: "outside-namespace",
      what: `${subjectOf(owner)} would copy values of Secrets outside namespace ${owner.namespace}`,
      why: forgeryWarning(owner),
      facts: [{ label: "copied into", value: objectNames(copies) }],
      ...reviewFixes(owner),
      where: [],
    },
  ];
}

/**
 * Returns an error if a record changes permissions or cluster-scoped objects outside the namespace.
 * Such objects aren't changed even if they belong to the deployment. Its other objects in other
 * namespaces can return to the recorded state, with the permissions that they have.
 */
export function recordedPermissionProblems(
  changes: readonly Change[],
  owner: RecordUser,
): readonly Problem[] {
  const changed = changes.filter(
    ({ id, action, live }) =>
      // Another check rejects objects that would be created.
      live !== undefined &&
      action !== "unchanged" &&
      isOutsideNamespace(id, owner) &&
      isPermissionOrClusterScoped(id),
  );
  if (changed.length === 0) return [];
  return [
    {
      code: "outside-namespace",
      what: `${subjectOf(owner)} would change permissions or cluster-scoped objects outside namespace ${owner.namespace}`,
      why: forgeryWarning(owner),
      facts: [{ label: "objects", value: objectNames(changed) }],
      ...reviewFixes(owner),
      where: [],
    },
  ];
}

function isPermissionOrClusterScoped({ group, namespace }: ObjectId): boolean {
  return namespace === "" || group === "rbac.authorization.k8s.io";
}

function subjectOf({ deletes }: RecordUser): string {
  return deletes === true ? "Hooks of the recorded charts" : "The release";
}

function forgeryWarning({ namespace }: DeploymentIdentity): string {
  return `Anyone who can write Secrets in namespace ${namespace} can change a release`;
}

function reviewFixes({ deletes }: RecordUser): Pick<Problem, "fix" | "otherwise" | "inputs"> {
  return deletes === true
    ? {
        fix: noHooksFix,
        otherwise: ["review the hooks, then allow them with --allow-outside-namespace"],
        inputs: ["allow-outside-namespace: true"],
      }
    : {
        fix: "Review the release: qvs rollback --dry-run --allow-outside-namespace",
        otherwise: [
          "deploy the commit of the release",
          "allow the objects with --allow-outside-namespace if the release is right",
        ],
        inputs: ["allow-outside-namespace: true"],
      };
}

/** The maximum number of names that a message lists. */
const maxNames = 20;

function objectNames(objects: readonly { readonly id: ObjectId }[]): string {
  const names = objects.map(({ id }) =>
    id.namespace === "" ? `${nameOf(id)} (cluster-wide)` : nameOf(id),
  );
  return summarizeList(names.toSorted(), maxNames);
}
