import { isBuiltInGroup } from "../../model/cluster/api/built-in-groups.ts";
import { definesKind } from "../../model/cluster/namespaces-and-crds.ts";
import { fieldPath } from "../../model/fields/field-path.ts";
import { fieldOf } from "../../model/json.ts";
import type { ApiLifecycle, ApiLifecycles } from "../../model/kubernetes-versions.ts";
import { groupOf, idOf, type KubeObject } from "../../model/object.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { schemaViolations } from "../../validation/schema-violations.ts";
import {
  isAdded,
  isUnserved,
  type LinkedFacts,
  sinceText,
  type UpgradeContext,
  type UpgradeProblem,
} from "./upgrade.ts";

const maxFields = 5;

/**
 * The kinds whose Go types k8s.io/api no longer contains, with the versions that removed them, from
 * the guide to deprecated APIs and the changelogs of Kubernetes.
 */
const formerKinds: ApiLifecycles = {
  "auditregistration.k8s.io/v1alpha1/AuditSink": { removed: 19 },
  "batch/v2alpha1/CronJob": { removed: 21 },
  "extensions/v1beta1/PodSecurityPolicy": { removed: 16 },
  "networking.k8s.io/v1alpha1/ClusterCIDR": { removed: 29 },
  "policy/v1beta1/PodSecurityPolicy": { removed: 25 },
  "settings.k8s.io/v1alpha1/PodPreset": { removed: 20 },
};

/**
 * Reports an object whose API version the other server doesn't serve, or warns about. It ignores
 * custom resources.
 */
export function removedKinds(
  object: KubeObject,
  context: UpgradeContext,
): readonly UpgradeProblem[] {
  const { facts, version } = context.target;
  const key = `${object.apiVersion}/${object.kind}`;
  const lifecycle = fieldOf(facts.lifecycles, key) ?? fieldOf(formerKinds, key);
  if (facts.known.types(version).builtin.has(key)) return deprecated(object, lifecycle, context);
  const absence = findAbsence(object, lifecycle, context);
  if (absence === undefined) return [];
  const { apiVersion, kind } = object;
  return [
    {
      code: absence.isRemoved ? "removed-api" : "not-in-version",
      severity: "warning",
      what: `Kubernetes ${version} has no ${kind} in ${apiVersion}`,
      since: absence.since,
      why: `The API server rejects manifests with it${absence.isRemoved ? ", and drift corrections and rollbacks to a release with it fail" : ""}`,
      path: ["apiVersion"],
      ...replacementFix(object, lifecycle, context),
    },
  ];
}

interface Absence {
  readonly isRemoved: boolean;
  readonly since: string;
}

/**
 * Finds the version with which a kind ended or begins. The documents of the known versions have
 * priority: the types can announce a removal for another version.
 */
function findAbsence(
  object: KubeObject,
  lifecycle: ApiLifecycle | undefined,
  context: UpgradeContext,
): Absence | undefined {
  const { target, next } = context;
  const { names, types } = target.facts.known;
  const key = `${object.apiVersion}/${object.kind}`;
  const having = names.filter((name) => types(name).builtin.has(key));
  const [first, last] = [having[0], having.at(-1)];
  if (first === undefined || last === undefined) {
    if (lifecycle?.removed === undefined) {
      const since = `not in Kubernetes ${names[0]} to ${names.at(-1)}`;
      return isBuiltInObject(object, context) ? { isRemoved: true, since } : undefined;
    }
    const { removed } = lifecycle;
    if (removed > next.minor) return undefined;
    return { isRemoved: true, since: `removed in Kubernetes 1.${removed}` };
  }
  if (names.indexOf(target.version) < names.indexOf(first))
    return { isRemoved: false, since: `since Kubernetes ${first}` };
  const end = names[names.indexOf(last) + 1] ?? target.version;
  return { isRemoved: true, since: `removed in Kubernetes ${end}` };
}

/**
 * Reports whether only Kubernetes itself can serve an object: its group is built in, and no
 * CustomResourceDefinition of the deployment defines it.
 */
function isBuiltInObject(object: KubeObject, { definitions }: UpgradeContext): boolean {
  return (
    isBuiltInGroup(groupOf(object.apiVersion)) &&
    !definitions.some((each) => definesKind(each, idOf(object)))
  );
}

/** Names the API version to declare instead, and the fields that it doesn't have. */
function replacementFix(
  object: KubeObject,
  lifecycle: ApiLifecycle | undefined,
  context: UpgradeContext,
): Pick<UpgradeProblem, "fix"> {
  const { facts, version } = context.target;
  const found = findReplacement(object, lifecycle, context);
  if (found === undefined) {
    return { fix: `Remove the object before the cluster has Kubernetes ${version}` };
  }
  const [apiVersion = "", introduced] = found;
  const since = introduced === undefined ? "" : ` (${sinceText(introduced)})`;
  const enabled = isPrerelease(apiVersion) ? ", which the cluster must enable" : "";
  const when = isUnserved({ ...object, apiVersion }, context)
    ? `. This server doesn't have it, so deploy it right after the upgrade`
    : "";
  const missing = missingFields(object, `${apiVersion}/${object.kind}`, facts, version);
  const rewrite =
    missing.length === 0
      ? ""
      : `. Rewrite the fields that it doesn't have: ${summarizeList(missing, maxFields)}`;
  return { fix: `Declare apiVersion: ${apiVersion}${since}${enabled}${rewrite}${when}` };
}

/**
 * Finds another API version of the kind: a stable one, then the one that Kubernetes names, then any
 * other.
 */
function findReplacement(
  { apiVersion, kind }: KubeObject,
  lifecycle: ApiLifecycle | undefined,
  { target: { facts, version } }: UpgradeContext,
): readonly [apiVersion: string, introduced: number | undefined] | undefined {
  const suffix = `/${kind}`;
  const named = lifecycle?.replacement?.apiVersion;
  const found = [...facts.known.types(version).builtin.keys()]
    .filter((key) => key.endsWith(suffix))
    .map((key) => key.slice(0, -suffix.length))
    .filter((each) => groupOf(each) === groupOf(apiVersion) || each === named)
    .toSorted((a, b) => rank(a, named) - rank(b, named) || (a < b ? 1 : -1));
  const [best] = found;
  if (best === undefined) return undefined;
  return [best, fieldOf(facts.lifecycles, `${best}${suffix}`)?.introduced];
}

function rank(apiVersion: string, named: string | undefined): number {
  if (!isPrerelease(apiVersion)) return 0;
  if (apiVersion === named) return 1;
  return apiVersion.includes("beta") ? 2 : 3;
}

/** Reports whether servers have an API version only if their flags enable it. */
function isPrerelease(apiVersion: string): boolean {
  const version = apiVersion.split("/").at(-1) ?? "";
  return /^v\d+(?:alpha|beta)\d+$/.test(version);
}

function missingFields(
  object: KubeObject,
  key: string,
  { known }: LinkedFacts,
  version: string,
): readonly string[] {
  const type = known.types(version).builtin.get(key);
  if (type === undefined) return [];
  return schemaViolations(object, type, () => false).flatMap(({ misfit, path }) =>
    misfit === "unknown" ? [fieldPath(path)] : [],
  );
}

/** Reports an API version that the other server starts to warn about. */
function deprecated(
  object: KubeObject,
  lifecycle: ApiLifecycle | undefined,
  context: UpgradeContext,
): readonly UpgradeProblem[] {
  const { deprecated: since, removed } = lifecycle ?? {};
  if (since === undefined || !isAdded(since, context)) return [];
  const end = removed === undefined ? "" : `, and Kubernetes 1.${removed} removes it`;
  return [
    {
      code: "api-deprecated",
      severity: "note",
      what: `Kubernetes ${context.target.version} warns about ${object.apiVersion}`,
      since: `deprecated ${sinceText(since)}`,
      why: `The API server still serves it${end}`,
      path: ["apiVersion"],
      ...replacementFix(object, lifecycle, context),
    },
  ];
}
