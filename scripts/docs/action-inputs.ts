/** The facts about an input that action.yml has no field for. */
interface InputFacts {
  readonly type: string;
  /** The allowed values, if they are few. */
  readonly values?: readonly string[];
  /** Set if the default isn't in action.yml. */
  readonly otherwise?: string;
  /** The value in an example, as YAML. */
  readonly example: string;
}

interface InputGroup {
  readonly title: string;
  readonly inputs: Readonly<Record<string, InputFacts>>;
}

const boolean = "boolean";
const kubeconfigExample = "$" + "{{ secrets.KUBECONFIG }}";
const secretExample = "$" + "{{ secrets.MODULES_TOKEN }}";

/** The inputs of the Action in the order of the page; each is in one group. */
export const inputGroups: readonly InputGroup[] = [
  {
    title: "Mode and selection",
    inputs: {
      mode: {
        type: "string",
        values: [
          "auto",
          "list",
          "diff",
          "comment",
          "deploy",
          "rollback",
          "report",
          "drift",
          "environment",
        ],
        example: "diff",
      },
      branch: {
        type: "name of a branch",
        otherwise: "the default branch only",
        example: "release",
      },
      deployment: {
        type: "list of names",
        otherwise: "see [default deployments](#default-deployments)",
        example: "shop-staging",
      },
      config: {
        type: "list of globs",
        otherwise: "`**/.valuestream/qvs*.yaml`",
        example: "services/shop/.valuestream/*.yaml",
      },
      params: { type: "list of paths", otherwise: "none", example: "params/release.yaml" },
      param: { type: "list of NAME=VALUE", otherwise: "none", example: "version=1.4.0" },
      "working-directory": {
        type: "path",
        otherwise: "the root of the repository",
        example: "services",
      },
    },
  },
  {
    title: "Cluster",
    inputs: {
      kubeconfig: {
        type: "string or path",
        otherwise: "the environment variable `KUBECONFIG`",
        example: kubeconfigExample,
      },
      server: {
        type: "address",
        otherwise: "use the kubeconfig",
        example: "https://api.example.com",
      },
      "certificate-authority": {
        type: "string or path",
        otherwise: "the public authorities",
        example: ".github/ca.pem",
      },
      "oidc-audience": {
        type: "string",
        otherwise: "the value of `server`",
        example: "kubernetes",
      },
      context: {
        type: "string",
        otherwise: "the `context` of the deployment, then the current context",
        example: "staging",
      },
      namespace: {
        type: "string",
        otherwise: "the `namespace` of the deployment, then `default`",
        example: "shop",
      },
      concurrency: { type: "integer", example: "8" },
    },
  },
  {
    title: "GitHub",
    inputs: {
      token: { type: "string", example: "$" + "{{ github.token }}" },
      comment: { type: "string", values: ["always", "changes", "never"], example: "always" },
      "comment-key": {
        type: "string",
        otherwise: "`working-directory`, and a comment per workflow",
        example: "platform",
      },
      summary: { type: boolean, example: "false" },
      "preview-artifact": { type: "string", otherwise: "no link", example: "qvs-preview.html" },
      check: { type: "string", otherwise: "no check run", example: "qvs" },
      labels: { type: "string", otherwise: "no labels", example: "qvs" },
      "github-deployments": { type: boolean, example: "true" },
      "environment-url": {
        type: "address",
        otherwise: "the annotation [`vs.axis-dev.io/url`](annotations.md#url) of an object",
        example: "https://shop.example.com",
      },
      "webhook-url": {
        type: "address",
        otherwise: "no [notifications](../integrate/notifications.md)",
        example: "$" + "{{ secrets.WEBHOOK_URL }}",
      },
      "webhook-secret": {
        type: "string",
        otherwise: "no signature",
        example: "$" + "{{ secrets.WEBHOOK_SECRET }}",
      },
    },
  },
  {
    title: "Plan and review",
    inputs: {
      "fail-on": { type: "list of words", example: "warning, deletions" },
      "against-version": {
        type: "version",
        otherwise: "no check against another version",
        example: "1.37",
      },
      "approved-plan": { type: "string", values: ["warn", "require", "off"], example: "require" },
      "expect-digest": { type: "string", otherwise: "any plan", example: "3f1c…" },
    },
  },
  {
    title: "Safety",
    inputs: {
      "allow-delete": {
        type: "list of kinds",
        otherwise: "none",
        example: "PersistentVolumeClaim",
      },
      conflicts: { type: "string", values: ["fail", "force"], example: "force" },
      takeover: { type: "list of field managers", otherwise: "none", example: "helm" },
      adopt: { type: boolean, example: "true" },
      "allow-older": { type: boolean, example: "true" },
      "override-freeze": { type: "string", otherwise: "none", example: "4f1c2ab9" },
    },
  },
  {
    title: "Rollout and records",
    inputs: {
      timeout: { type: "duration, such as `90s` or `10m`", example: "5m" },
      "no-progress-timeout": {
        type: "duration, such as `90s` or `10m`",
        otherwise: "no limit",
        example: "3m",
      },
      "on-failure": { type: "string", values: ["keep", "rollback"], example: "rollback" },
      "keep-releases": { type: "integer", otherwise: "`10`", example: "20" },
      "keep-revisions": { type: "integer", otherwise: "all", example: "3" },
    },
  },
  {
    title: "Rollback and drift",
    inputs: {
      revision: { type: "integer or `previous`", otherwise: "none", example: "previous" },
      "dry-run": { type: boolean, example: "true" },
      "allow-failed": { type: boolean, example: "true" },
      "allow-outside-namespace": { type: boolean, example: "true" },
      "allow-irreversible": { type: boolean, example: "true" },
      reconcile: { type: boolean, example: "true" },
      issue: { type: boolean, example: "false" },
    },
  },
  {
    title: "Comment commands",
    inputs: {
      "plan-workflow": { type: "file", example: "preview.yml" },
      "rollback-workflow": { type: "file", example: "roll-back.yml" },
    },
  },
  {
    title: "Modules",
    inputs: {
      "modules-token": { type: "string", otherwise: "none", example: secretExample },
      "modules-host": {
        type: "host",
        otherwise: "the host of the GitHub that runs the workflow",
        example: "git.example.com",
      },
    },
  },
  {
    title: "Results of other jobs",
    inputs: {
      plans: { type: "path", otherwise: "none", example: "qvs-plans" },
      results: { type: "path", otherwise: "none", example: "qvs-results" },
      expected: {
        type: "JSON list of names",
        otherwise: "none",
        example: "$" + "{{ needs.list.outputs.deployments }}",
      },
      approvals: {
        type: "string",
        otherwise: "the Action looks for reviewed plans",
        example: "$" + "{{ needs.list.outputs.approvals }}",
      },
    },
  },
];
