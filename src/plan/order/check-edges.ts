import { dependsOnAnnotation } from "../../model/annotations.ts";
import {
  checkId,
  checkJob,
  checkKey,
  type DeploymentCheck,
  secretHeaders,
} from "../../model/deployments/deployment-checks.ts";
import { keyOf, nameOf } from "../../model/object.ts";
import type { Edge } from "../../model/plan/plan.ts";
import { declarationPlaces, type Problem } from "../../model/problems/problem.ts";
import { closest, suggest } from "../../model/text/suggest.ts";
import type { DeclaredObject } from "../declared/objects.ts";
import { dependsOnEntries } from "./explicit-edges.ts";
import { indexObjects, jobEdges, servingWorkloads } from "./implicit-edges.ts";
import { secretMakerEdges } from "./named-edges.ts";
import type { Link } from "./order.ts";

/** The checks that objects can wait for. */
export interface LinkableChecks {
  /** The namespace of the deployment. */
  readonly namespace: string;
  /** Undefined if the run has no checks, such as a drift correction. Objects then wait for none. */
  readonly checks: readonly DeploymentCheck[] | undefined;
}

interface CheckLinks {
  readonly links: readonly Link[];
  /** The errors for checks that annotations name and that don't exist. */
  readonly missing: readonly Problem[];
}

/**
 * Returns the dependencies of objects on checks (docs/reference/checks.md#checks-before-an-object).
 * The check itself waits for the declared objects that it needs. Objects that wait for the check
 * wait for these objects too, so a check of the waiting object itself is a cycle. No release
 * records these dependencies, because a deletion doesn't follow them.
 */
export function checkLinks(
  objects: readonly DeclaredObject[],
  { namespace, checks }: LinkableChecks,
): CheckLinks {
  if (checks === undefined) return { links: [], missing: [] };
  const byName = new Map(checks.map((check) => [check.name, check]));
  const needed = new Map<string, readonly Edge[]>();
  const links: Link[] = [];
  const missing: Problem[] = [];
  for (const object of objects) {
    for (const { text, check: name } of dependsOnEntries(object)) {
      if (name === undefined) continue;
      const check = byName.get(name);
      if (check === undefined) {
        missing.push(missingCheckProblem(object, text, [...byName.keys()]));
        continue;
      }
      const edges = needed.get(name) ?? neededObjects(check, namespace, objects);
      needed.set(name, edges);
      links.push(...objectLinks(object, checkId(namespace, check), edges));
    }
  }
  for (const [name, edges] of needed) {
    const from = checkKey(namespace, { name });
    links.push(...edges.map((edge) => ({ from, ...edge })));
  }
  return { links, missing };
}

function objectLinks(
  { key: from }: DeclaredObject,
  id: ReturnType<typeof checkId>,
  edges: readonly Edge[],
): readonly Link[] {
  const unrecorded = true as const;
  const reason = `${nameOf(id)} runs before it, and needs this`;
  return [
    { from, on: keyOf(id), reason: `annotation ${dependsOnAnnotation}`, unrecorded },
    ...edges.map(({ on }) => ({ from, on, reason, unrecorded })),
  ];
}

/** Lists the declared objects without which the check can't pass. */
function neededObjects(
  check: DeploymentCheck,
  namespace: string,
  objects: readonly DeclaredObject[],
): readonly Edge[] {
  const declared = new Set(objects.map(({ key }) => key));
  const edges =
    check.type === "job"
      ? jobNeeds(check, namespace, objects)
      : [...serviceEdges(check, namespace, objects), ...headerEdges(check, namespace, objects)];
  return edges.filter(({ on }) => declared.has(on));
}

function jobNeeds(
  check: Extract<DeploymentCheck, { readonly type: "job" }>,
  namespace: string,
  objects: readonly DeclaredObject[],
): readonly Edge[] {
  const id = checkId(namespace, check);
  const object = checkJob({ deployment: "", namespace }, check, "");
  const job = { key: keyOf(id), id, stage: "app", resource: "", object } as const;
  return jobEdges({ ...job, dependsOn: [], references: [] }, objects);
}

/** Lists the Service that gets the requests, and the objects that create its Pods. */
function serviceEdges(
  { target }: Exclude<DeploymentCheck, { readonly type: "job" }>,
  namespace: string,
  objects: readonly DeclaredObject[],
): readonly Edge[] {
  if (target.type !== "service") return [];
  const id = { group: "", kind: "Service", namespace, name: target.service };
  return [
    { on: keyOf(id), reason: "it sends its requests to this Service" },
    ...servingWorkloads(id, objects).map(({ key: on }) => ({
      ...{ on, reason: "the Pods of this answer its requests" },
    })),
  ];
}

function headerEdges(
  check: DeploymentCheck,
  namespace: string,
  objects: readonly DeclaredObject[],
): readonly Edge[] {
  const headers = secretHeaders(check);
  if (headers.length === 0) return [];
  const { secretMakers } = indexObjects(objects);
  return headers.flatMap(({ secret: name }) => [
    {
      on: keyOf({ group: "", kind: "Secret", namespace, name }),
      reason: "its headers contain a value of this Secret",
    },
    ...secretMakerEdges(namespace, name, "its headers contain a value of", secretMakers),
  ]);
}

function missingCheckProblem(
  object: DeclaredObject,
  text: string,
  names: readonly string[],
): Problem {
  const meant = closest(
    text,
    names.map((name) => `check/${name}`),
  );
  return {
    code: "dependency-not-found",
    subjects: [nameOf(object.id)],
    what: `${nameOf(object.id)} depends on ${text}, which doesn't exist`,
    why: "Neither the config nor the entry in deployments.yaml has a check of this name",
    ...suggest(meant, "Declare the check", `correct the annotation ${dependsOnAnnotation}`),
    where: declarationPlaces(object),
  };
}
