import {
  checkEvidencePermissions,
  checkJobPermissions,
  checkPodPermissions,
  headerSecretPermissions,
  serviceProxyPermissions,
} from "./deployment-check-permissions.ts";
import type { PermissionCommand } from "./permission.ts";
import type { RequestPurpose } from "./purposes.ts";

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
