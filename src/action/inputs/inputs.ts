import type { IdTokenServer } from "../../io/kubernetes/kubeconfig/id-token.ts";
import type { ConnectOptions } from "../../io/kubernetes/kubeconfig.ts";
import type { ApprovalPolicy } from "../../model/approval.ts";
import type { Deployment } from "../../model/deployment.ts";
import type { FailOn } from "../../model/problems/fail-on.ts";
import type { DeployOptions } from "../../runs/with-lock.ts";
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
] as const;

/** The inputs of action.yml, checked. */
export interface Inputs {
  readonly mode: (typeof modes)[number];
  readonly comment: "always" | "changes" | "never";
  /** Name of the artifact that the workflow makes of the page; undefined for none. */
  readonly previewArtifact: string | undefined;
  /** Which of our comments on a pull request is meant; undefined for the one without a key. */
  readonly commentKey: string | undefined;
  /** Whether each workflow keeps a comment of its own, since the input comment-key does not say which one is meant. */
  readonly commentPerWorkflow: boolean;
  readonly summary: boolean;
  /** For drift: whether it is put right, and whether there is one issue for each deployment. */
  readonly reconcile: boolean;
  readonly issue: boolean;
  /** For comment, the folder with what jobs have planned; empty for none. */
  readonly plans: string;
  /** The input deployment. */
  readonly names: readonly string[];
  /** What of a preview makes the check red besides what could not be deployed. */
  readonly failOn: readonly FailOn[];
  readonly revision: string;
  /** Folder with the result.json files of other jobs, and the deployments that should have one. */
  readonly results: string;
  readonly expected: readonly string[];
  /** Where in the repository the deployments are listed; undefined for its root. */
  readonly folder: string | undefined;
  /** A branch whose pushes are deployed besides those to the default branch; empty for none. */
  readonly branch: string;
  readonly token: string;
  /** For modules that are private repositories; empty for none. */
  readonly modulesToken: string;
  /** The only host that it is sent to; empty for that of the GitHub that runs us. */
  readonly modulesHost: string;
  /** Name of the check run that a preview writes; empty for none. */
  readonly check: string;
  /** Whether each deployment becomes one of GitHub's Deployments, too. */
  readonly githubDeployments: boolean;
  /** Where the environment can be seen; undefined for what an object says. */
  readonly environmentUrl: string | undefined;
  readonly kubeconfig: ConnectOptions["kubeconfig"];
  /** Instead of a kubeconfig: what is logged in to by the ID tokens of the job. */
  readonly server: Omit<IdTokenServer, "issue"> | undefined;
  readonly inline: readonly string[];
  readonly options: DeployOptions;
  /** What is done with a plan that merging has not approved. */
  readonly approvedPlan: ApprovalPolicy | "off";
  /** What another job has found to be approved; empty to look for it. */
  readonly approvals: string;
  /** Those that `config` and `deployment` choose. Throws a UserError for what chooses none of `known`, which may be more. */
  choose: ChooseDeployments;
  /** The deployment with what the inputs replace of its entry in deployments.yaml. */
  adjusted(deployment: Deployment): Deployment;
}
