import type { ReleaseHistory } from "../../model/deployments/release-history.ts";
import { textAt } from "../../model/json.ts";
import { isKubeObject, type KubeObject } from "../../model/object.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { Manifest } from "../../model/sources/compilation.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { irreversible } from "../../preflight/rules/irreversible.ts";
import type { CheckResult } from "./check-result.ts";

interface RollbackOptions {
  readonly history: ReleaseHistory;
  /** The release to roll back to; undefined if this plan isn't a rollback. */
  readonly to: number | undefined;
  /** True to roll back even if data is lost. */
  readonly allowed: boolean;
}

/**
 * Finds everything that a rollback wouldn't restore, before it changes anything.
 * A loss blocks the rollback until a user allows it; an allowed loss becomes a notice. Readers of
 * the plan see all losses as findings.
 */
export function checkRollback(
  plan: Plan,
  { history, to, allowed }: RollbackOptions,
): CheckResult & { readonly findings: readonly Finding[] } {
  if (to === undefined) return { findings: [], blockers: [], notices: [] };
  const findings = irreversible({ plan, history, to });
  const errors = findings.filter(({ severity }) => severity === "error");
  const isRefused = errors.length > 0 && !allowed;
  return {
    findings,
    blockers: isRefused ? errors.map((each) => rollbackBlocker(each, to)) : [],
    notices: isRefused ? [] : findings.map(rollbackNotice),
  };
}

function rollbackBlocker(error: Finding, to: number): Problem {
  return {
    ...rollbackNotice(error),
    facts: [{ label: "release", value: String(to) }],
    otherwise: ["accept the loss and roll back with --allow-irreversible"],
    inputs: ["allow-irreversible: true"],
  };
}

function rollbackNotice({ what, why, fix }: Finding): Problem {
  return { code: "irreversible-rollback", what, why: why || undefined, fix, where: [] };
}

/**
 * Finds objects of a release whose API version the cluster no longer serves.
 * qvs can't plan such a release, and no flag changes that.
 */
export async function findUnservedVersions(
  cluster: Cluster,
  manifests: readonly Manifest[],
  to: number | undefined,
): Promise<readonly Finding[]> {
  if (to === undefined) return [];
  const objects = manifests.flatMap(({ object }) => (isKubeObject(object) ? [object] : []));
  const found = await Promise.all(objects.map((object) => unservedVersion(cluster, object, to)));
  return found.flat();
}

async function unservedVersion(
  cluster: Cluster,
  object: KubeObject,
  to: number,
): Promise<readonly Finding[]> {
  const { apiVersion, kind } = object;
  const answer = await cluster.kind(apiVersion, kind);
  if (answer.ok || answer.failure.reason !== "unknown-kind") return [];
  const namespace = textAt(object, "metadata", "namespace") ?? "";
  const name = textAt(object, "metadata", "name") ?? "";
  const shown = namespace === "" ? name : `${namespace}/${name}`;
  return [
    {
      code: "version-not-served",
      severity: "error",
      object: { apiVersion, kind, namespace, name },
      what: `${kind} ${shown}: ${apiVersion} is no longer served by the cluster`,
      why: `Release ${to} contains it in this version. The API server answered: ${answer.failure.message}`,
      fix: "Roll back to a newer release, or deploy a commit that declares it in a served version",
      where: [],
    },
  ];
}

/**
 * Replaces `unknown-kind` problems by the findings.
 * Advice for the author of a manifest doesn't help in a rollback: no one can correct a record.
 */
export function replaceUnknownKinds(
  problems: readonly Problem[],
  findings: readonly Finding[],
): readonly Problem[] {
  if (findings.length === 0) return problems;
  return [
    ...problems.filter(({ code }) => code !== "unknown-kind"),
    ...findings.map(rollbackNotice),
  ];
}
