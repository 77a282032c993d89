import type { EventReceiver } from "../../io/http/post-event.ts";
import type { ConnectOptions } from "../../io/kubernetes/kubeconfig/connect.ts";
import type { IdTokenServer } from "../../io/kubernetes/kubeconfig/id-token-credentials.ts";
import type { DeployRequest } from "../../model/deployments/deploy-request.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import type { ApprovalPolicy } from "../../model/plan/approval.ts";
import type { FailOn } from "../../model/problems/fail-on.ts";
import type { ChooseDeployments } from "./choose-deployments.ts";

export const modes = [
  "auto",
  "list",
  "diff",
  "comment",
  "deploy",
  "rollback",
  "report",
  "drift",
  "command",
  "environment",
] as const;

/** The validated inputs of action.yml. */
export interface Inputs {
  readonly mode: (typeof modes)[number];
  readonly comment: "always" | "changes" | "never";
  /** The name of the artifact that the workflow uploads the page as; undefined for none. */
  readonly previewArtifact: string | undefined;
  /**
   * Identifies one of several qvs comments on a pull request; undefined for the comment without a
   * key.
   */
  readonly commentKey: string | undefined;
  /** True if each workflow has its own comment, because the input comment-key isn't set. */
  readonly commentPerWorkflow: boolean;
  readonly summary: boolean;
  /** The settings of mode drift: correct the drift, and keep one issue per deployment. */
  readonly reconcile: boolean;
  readonly issue: boolean;
  /** The directory with the plans of other jobs, for mode comment; empty for none. */
  readonly plans: string;
  /** The input deployment. */
  readonly names: readonly string[];
  /** The findings and changes that fail the check, in addition to a plan that can't be deployed. */
  readonly failOn: readonly FailOn[];
  /** The version of Kubernetes that previews are checked against; undefined for none. */
  readonly againstVersion: string | undefined;
  /** The release for a rollback; empty to list the releases. */
  readonly revision: string;
  /** True to show the plan of a rollback and change nothing. */
  readonly dryRun: boolean;
  /**
   * The directory with the result.json files of other jobs, and the deployments that must have one.
   */
  readonly results: string;
  readonly expected: readonly string[];
  /** The directory in the repository with the list of deployments; undefined for the root. */
  readonly folder: string | undefined;
  /** The files of the workflows that a comment can start, in `.github/workflows`. */
  readonly planWorkflow: string;
  readonly rollbackWorkflow: string;
  /** A branch that is deployed on push in addition to the default branch; empty for none. */
  readonly branch: string;
  readonly token: string;
  /** The token for modules in private repositories; empty for none. */
  readonly modulesToken: string;
  /**
   * The only host that gets the modules token; empty for the host of the GitHub server that runs
   * the Action.
   */
  readonly modulesHost: string;
  /** The name of the check run that a preview writes; empty for none. */
  readonly check: string;
  /** The prefix of the labels that a preview sets, such as `qvs`; empty for none. */
  readonly labels: string;
  /** The receiver of notifications; undefined for none. */
  readonly webhook: EventReceiver | undefined;
  /** True to record each deployment as a GitHub deployment too. */
  readonly githubDeployments: boolean;
  /** The address of the environment; undefined to take it from an object. */
  readonly environmentUrl: string | undefined;
  readonly kubeconfig: ConnectOptions["kubeconfig"];
  /** The server that the job's ID tokens authenticate to, instead of a kubeconfig. */
  readonly server: Omit<IdTokenServer, "issue"> | undefined;
  readonly inline: readonly string[];
  readonly request: DeployRequest;
  /** The policy for a plan that no merge has approved. */
  readonly approvedPlan: ApprovalPolicy | "off";
  /** The approvals that another job found; empty to look for them. */
  readonly approvals: string;
  /**
   * Returns the deployments that the inputs `config` and `deployment` choose. Throws a UserError
   * for a choice that matches none of `known`.
   */
  choose: ChooseDeployments;
  /**
   * Returns the deployment with the fields of its entry in deployments.yaml that the inputs
   * replace.
   */
  adjusted(deployment: Deployment): Deployment;
}
