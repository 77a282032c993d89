import { isBuiltInGroup } from "../../model/cluster/api/built-in-groups.ts";
import { formatServerVersion, type ServerVersion } from "../../model/cluster/api/server-version.ts";
import type { ApiLifecycles } from "../../model/kubernetes-versions.ts";
import { groupOf, type KubeObject, type TypeMeta } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { KnownVersions } from "../../validation/kind-types.ts";

/** The facts about the supported versions of Kubernetes. */
export interface LinkedFacts {
  readonly known: KnownVersions;
  readonly lifecycles: ApiLifecycles;
}

/** The version of Kubernetes that objects are checked against. */
export interface TargetFacts {
  /** One of the known versions, such as "1.37". */
  readonly version: string;
  readonly facts: LinkedFacts;
}

/** The facts that decide whether an object works with another version of the API server. */
export interface UpgradeContext {
  readonly target: TargetFacts;
  /** The version of the target. */
  readonly next: ServerVersion;
  /**
   * The version of the API server now. If it is unknown, the rules report everything that the other
   * version rejects or drops, because the server might accept it.
   */
  readonly server: ServerVersion | undefined;
  /** The Namespaces by name, with the labels that they will have. */
  readonly namespaces: ReadonlyMap<string, KubeObject>;
  /** The CustomResourceDefinitions of the deployment. */
  readonly definitions: readonly KubeObject[];
  /** Returns the same object in the current release; undefined if that doesn't contain it. */
  readonly deployedObject: (object: KubeObject) => KubeObject | undefined;
}

/** The effect of the other version on one object. */
export interface UpgradeProblem extends Pick<Finding, "code" | "severity" | "why" | "fix"> {
  /** The effect without the name of the object, such as `Kubernetes 1.37 has no field …`. */
  readonly what: string;
  /** The versions of the difference, such as `since Kubernetes 1.37`. */
  readonly since: string;
  readonly path?: readonly string[] | undefined;
  readonly paste?: readonly string[] | undefined;
}

/** Finds the effects of the other version on an object; each has a file in this directory. */
export type UpgradeRule = (
  object: KubeObject,
  context: UpgradeContext,
) => readonly UpgradeProblem[];

/** Reports whether an upgrade adds a behavior of servers since this minor version. */
export function isAdded(since: number, { next, server }: UpgradeContext): boolean {
  return since <= next.minor && (server === undefined || server.minor < since);
}

/** Reports whether a downgrade removes a behavior of servers since this minor version. */
export function isLost(since: number, { next, server }: UpgradeContext): boolean {
  return next.minor < since && (server === undefined || since <= server.minor);
}

/**
 * Reports whether this server is known not to serve the API version of an object that other
 * versions have built in.
 */
export function isUnserved(
  { apiVersion, kind }: TypeMeta,
  { target, server }: Pick<UpgradeContext, "target" | "server">,
): boolean {
  const { names, types } = target.facts.known;
  const hasKind = (name: string) => types(name).builtin.has(`${apiVersion}/${kind}`);
  const current = server && formatServerVersion(server);
  if (current === undefined || !names.includes(current)) return false;
  return !hasKind(current) && names.some(hasKind);
}

/** Returns ` of its Pods` for a custom resource, of which Kubernetes checks only the Pods. */
export function podsPart({ apiVersion }: KubeObject): string {
  return isBuiltInGroup(groupOf(apiVersion)) ? "" : " of its Pods";
}

export function sinceText(minor: number): string {
  return `since Kubernetes 1.${minor}`;
}
