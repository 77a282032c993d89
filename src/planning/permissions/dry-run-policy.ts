import type { RoleDocument } from "../../model/cluster/role-document.ts";
import { roleName } from "./role-name.ts";
import type { RolesRequest } from "./roles.ts";
import { subjectExpression } from "./subject.ts";

/**
 * Returns an admission policy that restricts an identity to dry runs.
 * Kubernetes requires the same verb for a dry run as for the real request. The policy denies every
 * request that isn't a dry run
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run-authorization).
 */
export function dryRunPolicy({
  command,
  deployment,
  subject,
}: Pick<RolesRequest, "command" | "deployment" | "subject">): readonly RoleDocument[] {
  const apiVersion = "admissionregistration.k8s.io/v1";
  const name = roleName(command, deployment, undefined);
  const policy = {
    apiVersion,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name },
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ["*"],
            apiVersions: ["*"],
            operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"],
            resources: ["*/*"],
          },
        ],
      },
      matchConditions: [{ name: "is-preview", expression: subjectExpression(subject) }],
      validations: [
        { expression: "request.dryRun", message: "this identity is only allowed to make dry runs" },
      ],
    },
  };
  const binding = {
    apiVersion,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name },
    spec: { policyName: name, validationActions: ["Deny"] },
  };
  const about =
    "Denies this identity every write that isn't a dry run, whatever roles it has. Apply it before the roles.";
  return [
    { object: policy, about, rules: [] },
    { object: binding, about: "", rules: [] },
  ];
}
