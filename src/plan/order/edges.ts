import { isNamespaceOrCrd } from "../../model/cluster/namespaces-and-crds.ts";
import { nameOf } from "../../model/object.ts";
import {
  declarationPlaces,
  failed,
  ok,
  type Problem,
  type Result,
} from "../../model/problems/problem.ts";
import type { DeclaredObject } from "../declared/objects.ts";
import { checkLinks, type LinkableChecks } from "./check-edges.ts";
import { explicitLinks } from "./explicit-edges.ts";
import { implicitLinks } from "./implicit-edges.ts";
import { buildGraph, type Graph, type Link, orderObjects } from "./order.ts";

export interface LinkedObjects {
  readonly graph: Graph;
  /** The errors for dependencies that don't exist. The rest can be planned and shown. */
  readonly missing: readonly Problem[];
}

/**
 * Returns the dependencies of all objects, with their reasons
 * (docs/concepts/order.md#dependencies).
 * Explicit dependencies are kept and must be valid. Implicit ones are dropped if they would close a
 * cycle. `isLive` reports whether a key exists in the cluster. The graph also contains the
 * dependencies of the checks that objects wait for.
 */
export function linkObjects(
  objects: readonly DeclaredObject[],
  isLive: (key: string) => boolean,
  linkable: LinkableChecks,
): Result<LinkedObjects> {
  const explicit = explicitLinks(objects, isLive);
  const ofChecks = checkLinks(objects, linkable);
  const required = [...explicit.links, ...ofChecks.links];
  const stageByKey = new Map(objects.map((object) => [object.key, object.stage]));
  const isBackward = ({ from, on }: Link) =>
    stageByKey.get(from) === "appSetup" && stageByKey.get(on) === "app";
  const implicit = implicitLinks(objects);
  const graph = buildGraph(
    required,
    implicit.filter((link) => !isBackward(link)),
  );
  const order = orderObjects(objects, graph);
  const problems = [
    ...explicit.problems,
    ...required.filter(isBackward).map((link) => backwardProblem(link, objects)),
    ...implicit
      .filter((link) => isBackward(link) && isRequired(link, objects) && !isLive(link.on))
      .map((link) => backwardProblem(link, objects)),
    ...(order.ok ? [] : order.problems),
  ];
  const missing = [...explicit.missing, ...ofChecks.missing];
  return problems.length > 0 ? failed([...missing, ...problems]) : ok({ graph, missing });
}

/** Reports whether a link leads to a Namespace or CRD, without which an object can't be created. */
function isRequired({ on }: Link, objects: readonly DeclaredObject[]): boolean {
  const found = objects.find((object) => object.key === on);
  return found !== undefined && isNamespaceOrCrd(found.id);
}

function backwardProblem({ from, on, reason }: Link, objects: readonly DeclaredObject[]): Problem {
  const [waiting, awaited] = [from, on].map((key) => objects.find((object) => object.key === key));
  if (waiting === undefined || awaited === undefined) throw new Error(`no object ${from} or ${on}`);
  return {
    code: "wrong-stage-order",
    subjects: [nameOf(waiting.id)],
    what: `${nameOf(waiting.id)} of appSetup depends on ${nameOf(awaited.id)} of app`,
    why: "qvs deploys all of appSetup before app",
    facts: [{ label: "dependency", value: reason }],
    fix: `Move the resource ${awaited.resource} to appSetup`,
    otherwise: [`move the resource ${waiting.resource} to app`],
    where: declarationPlaces(waiting, awaited),
  };
}
