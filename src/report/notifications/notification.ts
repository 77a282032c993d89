import type { Severity } from "../../model/problems/finding.ts";
import type { Counts } from "../review/count-objects.ts";

/**
 * The result of a run for one deployment, as plain data for a webhook. It contains names, codes and
 * numbers, and no manifests or values (docs/integrate/notifications.md).
 */
export interface Notification {
  readonly kind: "preview" | "deploy" | "rollback" | "delete" | "drift";
  /** One word for the result: of the output `outcome`, `deleted`, or the status of the drift. */
  readonly outcome: string;
  /** The result of the run as a task. */
  readonly result: "success" | "failure" | "cancel" | "error";
  /** The effect on the running application; undefined if it is unchanged or unknown. */
  readonly effect?: ServiceEffect | undefined;
  /** Undefined if the run ended before it knew its deployments. */
  readonly deployment?: NotifiedDeployment | undefined;
  /** The full ID of the deployed or previewed commit; undefined if it is unknown. */
  readonly commit: string | undefined;
  readonly pullRequest?: number | undefined;
  /** The number of the current release. */
  readonly release?: number | undefined;
  /** The release that a rollback restores. */
  readonly rollbackOf?: number | undefined;
  /** The numbers of affected objects by action; undefined if unknown. */
  readonly changes?: Counts | undefined;
  /** The number of objects that differ from the current release. */
  readonly drifted?: number | undefined;
  readonly digest?: string | undefined;
  readonly findings?: readonly NotifiedFinding[] | undefined;
  /** The codes of the errors. */
  readonly errors?: readonly string[] | undefined;
}

export type ServiceEffect = "deployed" | "upgraded" | "rolledback" | "removed";

interface NotifiedDeployment {
  readonly name: string;
  /** Undefined if only the name is known, because the job didn't start. */
  readonly namespace?: string | undefined;
  readonly environment?: string | undefined;
  readonly context?: string | undefined;
}

interface NotifiedFinding {
  readonly code: string;
  readonly severity: Severity;
}

/** The run that sends notifications. */
export interface NotifiedRun {
  /** The address of the server, such as `https://github.com`. */
  readonly server: string;
  /** The repository as `owner/name`. */
  readonly repository: string;
  readonly id: string;
  /** The number of the attempt, from 1. */
  readonly attempt: string;
  /** The page of the run; undefined outside of GitHub. */
  readonly url: string | undefined;
  /** The end of the run in ISO 8601. */
  readonly at: string;
}
