import type { Manifest } from "../../model/compilation.ts";
import { textAt } from "../../model/json.ts";
import { isKubeObject, type KubeObject } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { Release } from "../../model/release.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { irreversible } from "../../preflight/rules/irreversible.ts";
import type { Checked } from "./checked.ts";

interface Back {
  readonly releases: readonly Release[];
  /** undefined for what goes nowhere back. */
  readonly to: number | undefined;
  /** Go back also where something is lost. */
  readonly allowed: boolean;
}

/**
 * What a rollback would not bring back, before anything is changed: as findings for whoever reads the plan, and in its way where
 * something is lost that nobody has agreed to lose. Who has agreed is told.
 */
export function checkGoingBack(
  plan: Plan,
  { releases, to, allowed }: Back,
): Checked & { readonly findings: readonly Finding[] } {
  if (to === undefined) return { findings: [], blockers: [], notices: [] };
  const findings = irreversible({ plan, releases, to });
  const errors = findings.filter(({ severity }) => severity === "error");
  const isRefused = errors.length > 0 && !allowed;
  return {
    findings,
    blockers: isRefused ? [refusal(errors, to)] : [],
    notices: isRefused ? [] : findings.map(noticeOf),
  };
}

function refusal(errors: readonly Finding[], to: number): Problem {
  return {
    code: "irreversible-rollback",
    what: `Release ${to} does not come back as it was: ${errors.map(({ what }) => what).join("; ")}`,
    fix: `${[...new Set(errors.map(({ fix }) => fix))].join(". ")}. Then go back with --allow-irreversible`,
    inputs: ["allow-irreversible: true"],
    where: [],
  };
}

function noticeOf({ what, fix }: Finding): Problem {
  return { code: "irreversible-rollback", what, fix, where: [] };
}

/**
 * The same of a release that can't even be planned, since the cluster has no longer the version of an API that it needs. No flag helps
 * there.
 */
export async function versionsNotServed(
  cluster: Cluster,
  manifests: readonly Manifest[],
  to: number | undefined,
): Promise<readonly Finding[]> {
  if (to === undefined) return [];
  const objects = manifests.flatMap(({ object }) => (isKubeObject(object) ? [object] : []));
  const found = await Promise.all(objects.map((object) => notServed(cluster, object, to)));
  return found.flat();
}

async function notServed(
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
      what: `${kind} ${shown} can't be brought back: release ${to} has it in ${apiVersion}, which the cluster no longer serves`,
      why: answer.failure.message,
      fix: "Roll back to a newer release, or deploy a commit that declares it in a version that is served",
      where: [],
    },
  ];
}

/** What is said of the manifest's author helps nobody who goes back: a record can't be corrected. */
export function blockersOfVersions(
  problems: readonly Problem[],
  findings: readonly Finding[],
): readonly Problem[] {
  if (findings.length === 0) return problems;
  return [
    ...problems.filter(({ code }) => code !== "unknown-kind"),
    ...findings.map(
      ({ what, why, fix }): Problem => ({
        code: "irreversible-rollback",
        what: `${what} (${why})`,
        fix,
        where: [],
      }),
    ),
  ];
}
