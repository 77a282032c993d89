import { annotation, type KubeObject, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";

/** A release of Helm, named by the annotations of its objects. */
interface HelmRelease {
  readonly name: string;
  readonly namespace: string;
}

interface TakenObject {
  readonly name: string;
  readonly release: HelmRelease;
}

/**
 * Returns a notice for each Helm release whose objects the plan takes. Helm's record of the release
 * stays in the cluster, and Helm would still delete or overwrite the objects.
 */
export function helmReleaseNotices(changes: readonly Change[]): readonly Problem[] {
  const taken = changes.flatMap((change) => {
    const release = takenFrom(change);
    return release === undefined ? [] : [{ release, name: nameOf(change.id) }];
  });
  const byRelease = Map.groupBy(taken, ({ release }) => `${release.namespace}/${release.name}`);
  return [...byRelease.values()].map(releaseNotice);
}

/** Returns the Helm release that an object leaves with this plan. */
function takenFrom({ action, live, predicted, desired }: Change): HelmRelease | undefined {
  if (action === "unchanged") return undefined;
  const before = helmRelease(live);
  return helmRelease(predicted ?? desired) === undefined ? before : undefined;
}

/** Reads the annotations of an object. Anyone can write them, so only valid names count. */
function helmRelease(object: KubeObject | undefined): HelmRelease | undefined {
  if (object === undefined) return undefined;
  const name = annotation(object, "meta.helm.sh/release-name") ?? "";
  const namespace = annotation(object, "meta.helm.sh/release-namespace") ?? "";
  return isName(name) && isName(namespace) ? { name, namespace } : undefined;
}

/** Helm accepts up to 53 characters of a DNS name for releases. */
function isName(text: string): boolean {
  return /^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/.test(text);
}

function releaseNotice(taken: readonly TakenObject[]): Problem {
  const [{ name, namespace }] = taken.map(({ release }) => release) as [HelmRelease];
  const count = taken.length === 1 ? "1 object" : `${taken.length} objects`;
  return {
    code: "helm-release",
    where: [],
    subjects: taken.map((each) => each.name),
    what: `Helm's release ${name} in the namespace ${namespace} still records ${count} of this deployment`,
    why: "helm uninstall would delete them, and helm upgrade or rollback would overwrite them",
    fix: `List the objects of the release: helm get manifest -n ${namespace} ${name}`,
    otherwise: [
      `after the deployment, if nothing else belongs to the release, delete its records: kubectl delete secret -n ${namespace} -l owner=helm,name=${name}`,
    ],
  };
}
