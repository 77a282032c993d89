import {
  type DeploymentCheck,
  proxyName,
  type ServiceTarget,
  secretHeaders,
} from "../../model/deployments/deployment-checks.ts";
import { type PermissionInput, permit, uniqueSorted } from "./granted-permissions.ts";
import type { Permission, PermissionCommand } from "./permission.ts";
import type { RequestPurpose } from "./purposes.ts";

type CheckInput = Pick<PermissionInput, "deployment" | "checks">;

/**
 * Lists the permissions for requests to Services. The name of such a request contains the scheme
 * and the port, because the API server authorizes the path as it is.
 */
function serviceProxyPermissions({
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
function headerSecretPermissions({
  deployment: { namespace },
  checks,
}: CheckInput): readonly Permission[] {
  const names = checks.flatMap((check) => secretHeaders(check).map(({ secret }) => secret));
  return names.length === 0 ? [] : permit(namespace, "", "secrets", ["get"], uniqueSorted(names));
}

/** Returns permissions to the Jobs of checks. Their names contain a digest. */
function checkJobPermissions(
  { deployment: { namespace }, checks }: CheckInput,
  verbs: readonly string[],
): readonly Permission[] {
  return hasJobs(checks) ? permit(namespace, "batch", "jobs", verbs) : [];
}

/** Returns the permission to dry-run the Pods of Jobs. */
function checkPodPermissions({
  deployment: { namespace },
  checks,
}: CheckInput): readonly Permission[] {
  return hasJobs(checks) ? permit(namespace, "", "pods", ["create"]) : [];
}

/** Lists the permissions for the evidence of a failed Job. */
function checkEvidencePermissions({
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

/** The commands that run checks; a correction restores objects that have passed them. */
const checkCommands: readonly PermissionCommand[] = ["deploy", "rollback"];

/** The requests of checks (docs/reference/checks.md), by purpose. */
export const checkPurposes: readonly RequestPurpose[] = [
  {
    why: "Checks: send requests to Services.",
    requiredBy: checkCommands,
    permissions: serviceProxyPermissions,
  },
  {
    why: "Checks: read the values of headers.",
    requiredBy: checkCommands,
    permissions: headerSecretPermissions,
  },
  {
    why: "Checks: run their Jobs.",
    requiredBy: checkCommands,
    optional: {
      for: ["preview"],
      why: "Checks: dry-run their Jobs.",
      without: "Without it, the preview doesn't check the Jobs.",
    },
    permissions: (subject) => checkJobPermissions(subject, ["create"]),
  },
  {
    why: "Checks: dry-run the Pods of their Jobs.",
    requiredBy: [],
    optional: { for: ["preview"], without: "Without it, qvs omits this check." },
    permissions: checkPodPermissions,
  },
  {
    why: "Checks: run their Jobs.",
    requiredBy: checkCommands,
    permissions: (subject) => checkJobPermissions(subject, ["get", "watch", "delete"]),
  },
  {
    why: "Checks: delete the Jobs of earlier releases.",
    requiredBy: [],
    optional: {
      for: [...checkCommands, "delete"],
      without: "Without it, these Jobs stay until a user deletes them.",
    },
    permissions: (subject) => checkJobPermissions(subject, ["list", "delete"]),
  },
  {
    why: "Checks: collect evidence for a Job that failed.",
    requiredBy: [],
    optional: {
      for: checkCommands,
      without: "Without it, a failure lacks Pods, events and logs.",
    },
    permissions: checkEvidencePermissions,
  },
];
