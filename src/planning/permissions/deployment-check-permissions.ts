import {
  type DeploymentCheck,
  proxyName,
  type ServiceTarget,
  secretHeaders,
} from "../../model/deployment-checks.ts";
import type { Permission } from "./permission.ts";
import { type PermissionInput, permit, uniqueSorted } from "./permit.ts";

type CheckInput = Pick<PermissionInput, "deployment" | "checks">;

/**
 * Lists the permissions for requests to Services. The name of such a request contains the scheme
 * and the port, because the API server authorizes the path as it is.
 */
export function serviceProxyPermissions({
  deployment: { namespace },
  checks,
}: CheckInput): readonly Permission[] {
  const names = checks.flatMap((check) => serviceTargets(check).map(proxyName));
  return names.length === 0
    ? []
    : permit(namespace, "", "services/proxy", ["get"], uniqueSorted(names));
}

function serviceTargets(check: DeploymentCheck): readonly ServiceTarget[] {
  return check.type !== "job" && check.target.type === "service" ? [check.target] : [];
}

/** Lists the permissions for Secrets with values of headers. */
export function headerSecretPermissions({
  deployment: { namespace },
  checks,
}: CheckInput): readonly Permission[] {
  const names = checks.flatMap((check) => secretHeaders(check).map(({ secret }) => secret));
  return names.length === 0 ? [] : permit(namespace, "", "secrets", ["get"], uniqueSorted(names));
}

/** Returns permissions to the Jobs of checks. Their names contain a digest. */
export function checkJobPermissions(
  { deployment: { namespace }, checks }: CheckInput,
  verbs: readonly string[],
): readonly Permission[] {
  return hasJobs(checks) ? permit(namespace, "batch", "jobs", verbs) : [];
}

/** Returns the permission to dry-run the Pods of Jobs. */
export function checkPodPermissions({
  deployment: { namespace },
  checks,
}: CheckInput): readonly Permission[] {
  return hasJobs(checks) ? permit(namespace, "", "pods", ["create"]) : [];
}

/** Lists the permissions for the evidence of a failed Job. */
export function checkEvidencePermissions({
  deployment: { namespace },
  checks,
}: CheckInput): readonly Permission[] {
  if (!hasJobs(checks)) return [];
  return [
    ...permit(namespace, "", "events", ["list"]),
    ...permit(namespace, "", "pods", ["list"]),
    ...permit(namespace, "", "pods/log", ["get"]),
  ];
}

/** Lists all permissions that a run needs for its checks. */
export function requiredCheckPermissions(input: CheckInput): readonly Permission[] {
  return [
    ...serviceProxyPermissions(input),
    ...headerSecretPermissions(input),
    ...checkJobPermissions(input, ["get", "create", "watch", "delete"]),
  ];
}

function hasJobs(checks: readonly DeploymentCheck[]): boolean {
  return checks.some(({ type }) => type === "job");
}
