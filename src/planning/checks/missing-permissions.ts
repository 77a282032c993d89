import { type ApiFailure, isMissingPermission } from "../../model/cluster/api/api-failure.ts";
import { lockName } from "../../model/cluster/deployment-lock.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import { addressOf, type KubeObject } from "../../model/object.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { emptyRecord } from "../../releases/encode.ts";
import { releaseRevisionLabel, releaseSelector } from "../../releases/release-names.ts";
import { applyRolesAdvice } from "../permissions/find-denied-permissions.ts";
import type { PermissionCommand } from "../permissions/permission.ts";

/** A missing permission that the lock or the records need. */
export interface MissingPermissions {
  readonly failure: ApiFailure;
  readonly problem: Problem;
}

type DeploymentRef = Pick<Deployment, "name" | "namespace">;

/**
 * Finds all missing permissions for the lock and the records
 * (docs/reference/deployment.md#permissions).
 * It sends reads and dry runs before qvs writes any of them. Other failures show when qvs writes
 * them.
 */
export async function findMissingPermissions(
  cluster: Cluster,
  place: DeploymentRef,
  command: PermissionCommand = "deploy",
): Promise<readonly MissingPermissions[]> {
  const [lock, records] = await Promise.all([
    deniedVerbs(probeLock(cluster, place)),
    deniedVerbs(probeRecords(cluster, place, command)),
  ]);
  return [
    ...describeMissing(lock, "take its deployment lock", leases, place, command),
    ...describeMissing(records, "record its releases", "secrets", place, command),
  ];
}

const leases = "leases.coordination.k8s.io";

type PermissionProbe = Promise<
  { readonly ok: true } | { readonly ok: false; readonly failure: ApiFailure }
>;

function probeLock(
  cluster: Cluster,
  { name, namespace }: DeploymentRef,
): Readonly<Record<string, PermissionProbe>> {
  const lease: KubeObject = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: lockName(name), namespace },
    spec: {},
  };
  return {
    get: cluster.read(addressOf(lease)),
    create: cluster.create(lease, { dryRun: true }),
    update: cluster.replace(lease, { dryRun: true }),
  };
}

function probeRecords(
  cluster: Cluster,
  place: DeploymentRef,
  command: PermissionCommand,
): Readonly<Record<string, PermissionProbe>> {
  const record = emptyRecord(place, 1);
  const none = `${releaseSelector(place.name)},!${releaseRevisionLabel}`;
  const list = cluster.list("v1", "Secret", place.namespace, none);
  const update = cluster.replace(record, { dryRun: true });
  // A correction records no release.
  if (command === "reconcile") return { list, update };
  return {
    list,
    create: cluster.create(record, { dryRun: true }),
    update,
    delete: cluster.dryRunDelete(addressOf(record), "none"),
  };
}

interface DeniedVerb {
  readonly verb: string;
  readonly failure: ApiFailure;
}

async function deniedVerbs(
  probes: Readonly<Record<string, PermissionProbe>>,
): Promise<readonly DeniedVerb[]> {
  const answers = await Promise.all(
    Object.entries(probes).map(async ([verb, answer]) => ({ verb, answer: await answer })),
  );
  return answers.flatMap(({ verb, answer }) =>
    !answer.ok && isMissingPermission(answer.failure) ? [{ verb, failure: answer.failure }] : [],
  );
}

function describeMissing(
  refusals: readonly DeniedVerb[],
  doing: string,
  resource: string,
  { name, namespace }: DeploymentRef,
  command: PermissionCommand,
): readonly MissingPermissions[] {
  const [first] = refusals;
  if (first === undefined) return [];
  const verbs = refusals.map(({ verb }) => verb);
  const problem: Problem = {
    code: "missing-permission",
    what: `"${name}": this identity isn't allowed to ${doing}`,
    facts: [{ label: "answer", value: first.failure.message }],
    fix: `Allow ${summarizeList(verbs, verbs.length)} on ${resource} in namespace ${namespace} to this identity`,
    otherwise: [applyRolesAdvice(command, name)],
    where: [],
  };
  return [{ failure: first.failure, problem }];
}
