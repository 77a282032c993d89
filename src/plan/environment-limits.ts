import type { InventoryEntry } from "../model/deployments/release.ts";
import { type Json, listAt, textAt } from "../model/json.ts";
import { isCoreKind } from "../model/kinds.ts";
import { type KubeObject, keyOf, nameOf, type ObjectId } from "../model/object.ts";
import type { Change } from "../model/plan/plan.ts";
import { declarationPlaces, type Problem } from "../model/problems/problem.ts";
import { summarizeList } from "../model/text/suggest.ts";
import { foreignProtection, protectedKinds } from "../ssa/protection.ts";
import type { DeclaredObject } from "./declared/objects.ts";
import type { PlanRules } from "./plan-input.ts";

/** The protected kinds that the deletion of an environment deletes. It keeps no data. */
export const environmentKinds: readonly string[] = [...protectedKinds.keys()];

/** The maximum number of names that a message lists. */
const maxNames = 10;

/** Returns the errors for declared objects that reach out of the namespace of an environment. */
export function environmentProblems(
  declared: readonly DeclaredObject[],
  rules: Pick<PlanRules, "deployment" | "onlyNamespace">,
): readonly Problem[] {
  if (rules.onlyNamespace === undefined) return [];
  const outside = outsideObjectProblems(declared, rules);
  return [...outside, ...declared.flatMap(grantProblems)];
}

/**
 * Returns the error for declared objects outside the only namespace of an environment.
 * The author of a pull request must not change what others use. A Namespace, a
 * CustomResourceDefinition or a webhook affects more than the environment.
 */
function outsideObjectProblems(
  declared: readonly DeclaredObject[],
  { deployment, onlyNamespace = "" }: Pick<PlanRules, "deployment" | "onlyNamespace">,
): readonly Problem[] {
  // If an adapter declared the namespace too, it would be declared twice, which is an error.
  const outside = declared.filter(({ id }) => !isWithin(id, onlyNamespace));
  if (outside.length === 0) return [];
  const names = outside.map(({ id }) => placedName(id)).toSorted();
  return [
    {
      code: "environment-outside-namespace",
      what: `"${deployment}" declares objects outside namespace ${onlyNamespace}`,
      why: "An environment can contain only objects of its own namespace",
      facts: [{ label: "objects", value: summarizeList(names, maxNames) }],
      fix: "Leave them out with a parameter that preview.params sets",
      otherwise: ["remove metadata.namespace from the manifests"],
      where: declarationPlaces(...outside),
    },
  ];
}

const rbacGroup = "rbac.authorization.k8s.io";

/** The cluster roles that a Pod of an environment can have. They don't contain its namespace. */
const allowedClusterRoles: ReadonlySet<string> = new Set(["view", "edit"]);

/**
 * Returns the error for an object that gives a Pod permissions for the namespace itself, or any
 * permission that its author can't have. A Pod could otherwise switch off Pod Security. The API
 * server checks only whether the deploying identity has the permissions, and that one changes
 * namespaces.
 */
function grantProblems({ id, object, where, references }: DeclaredObject): readonly Problem[] {
  if (id.group !== rbacGroup) return [];
  const isUnknown = references.length > 0;
  const known = id.kind === "Role" ? excessiveRule(object) : outsideRole(object);
  const why = isUnknown ? "It contains references, whose values are unknown until later" : known;
  if (why === undefined) return [];
  return [
    {
      code: "environment-excessive-role",
      what: `${nameOf(id)} gives more permissions than an environment can have`,
      why,
      fix: "List the resources and verbs that the Pods need, in a Role of the environment",
      otherwise: ["leave it out with a parameter that preview.params sets"],
      where: where === undefined ? [] : [where],
    },
  ];
}

/** Returns the reason why a rule of a Role is refused; undefined if none is. */
function excessiveRule(role: KubeObject): string | undefined {
  const rules = listAt(role, "rules");
  if (rules.some((rule) => covers(rule, "", "namespaces") && isWriting(rule)))
    return "One of its rules allows changes of the namespace, such as its Pod Security labels";
  const grants = ["roles", "rolebindings"].flatMap((resource) =>
    rules.filter((rule) => covers(rule, rbacGroup, resource)),
  );
  return grants.some(isWriting)
    ? "One of its rules allows changes of roles, which could then give any permission"
    : undefined;
}

/** Reports whether a rule is about a resource, one of its subresources or everything. */
function covers(rule: Json, group: string, resource: string): boolean {
  const groups = listAt(rule, "apiGroups");
  const resources = listAt(rule, "resources");
  return (
    [group, "*"].some((each) => groups.includes(each)) &&
    resources.some((each) => each === "*" || isResource(each, resource))
  );
}

function isResource(name: Json, resource: string): boolean {
  return typeof name === "string" && name.split("/")[0] === resource;
}

const readingVerbs: ReadonlySet<unknown> = new Set(["get", "list", "watch"]);

function isWriting(rule: Json): boolean {
  return listAt(rule, "verbs").some((verb) => !readingVerbs.has(verb));
}

function outsideRole(binding: KubeObject): string | undefined {
  const name = textAt(binding, "roleRef", "name") ?? "";
  const isOwn = textAt(binding, "roleRef", "kind") === "Role" || allowedClusterRoles.has(name);
  return isOwn ? undefined : `It refers to the ClusterRole ${name}; only view and edit are allowed`;
}

function placedName(id: ObjectId): string {
  return id.namespace === "" ? `${nameOf(id)} (cluster-wide)` : nameOf(id);
}

/** Reports whether an object can belong to an environment, whatever a record says. */
export function isWithin(id: ObjectId, onlyNamespace: string): boolean {
  return id.namespace === onlyNamespace || isOwnNamespace(id, onlyNamespace);
}

/** Reports whether an object is the namespace of an environment. */
export function isOwnNamespace(id: ObjectId, onlyNamespace: string | undefined): boolean {
  return isCoreKind(id, "Namespace") && id.name === onlyNamespace;
}

/**
 * Returns the error for the namespace of an environment that exists already.
 * qvs adopts no namespace: its deletion would delete what others have in it. Both must agree that
 * this environment created it: a release, and the labels and field manager of the live object.
 */
export function foreignNamespaceProblems(
  changes: readonly Pick<Change, "key" | "id" | "live">[],
  inventory: readonly InventoryEntry[],
  rules: PlanRules,
): readonly Problem[] {
  const own = changes.find(({ id }) => isOwnNamespace(id, rules.onlyNamespace));
  if (own?.live === undefined) return [];
  const isRecorded = inventory.some(({ id }) => keyOf(id) === own.key);
  const foreign = foreignProtection(own.live, rules);
  if (isRecorded && foreign === undefined) return [];
  return [
    {
      code: "environment-not-own",
      what: `${nameOf(own.id)} exists already and isn't this environment's`,
      why: foreign?.detail ?? "no release records that this environment created it",
      fix: "Use another namespace in preview.namespace",
      otherwise: ["delete the namespace yourself if no one needs it"],
      where: [],
    },
  ];
}
