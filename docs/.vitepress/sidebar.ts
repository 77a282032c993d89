interface Page {
  readonly text: string;
  readonly link: string;
}

interface Group {
  readonly text: string;
  readonly collapsed: boolean;
  readonly items: Page[];
}

/** A part of the site with a link in the navigation bar and a sidebar of its own. */
interface Section {
  readonly text: string;
  /** The starts of the paths of its pages. */
  readonly places: readonly string[];
  readonly groups: readonly Group[];
}

const group = (text: string, pages: readonly (readonly [string, string])[]): Group => ({
  text,
  collapsed: true,
  items: pages.map(([name, page]) => ({ text: name, link: `/${page}` })),
});

const getStarted: Section = {
  text: "Get started",
  places: ["/get-started/", "/migrate/"],
  groups: [
    group("Get started", [
      ["Install", "get-started/install"],
      ["Deploy your first app", "get-started/first-deployment"],
      ["Preview pull requests", "get-started/preview-pull-requests"],
      ["Write an adapter", "get-started/write-an-adapter"],
    ]),
    group("Migrate", [
      ["From kubectl", "migrate/from-kubectl"],
      ["From Helm", "migrate/from-helm"],
      ["From kapp", "migrate/from-kapp"],
      ["From Argo CD", "migrate/from-argo-cd"],
    ]),
  ],
};

const guides: Section = {
  text: "Guides",
  places: ["/deploy/", "/operate/", "/integrate/"],
  groups: [
    group("Deploy", [
      ["Deploy plain YAML", "deploy/plain-yaml"],
      ["Deploy a Helm chart", "deploy/helm"],
      ["Promote staging to production", "deploy/promote"],
      ["Deploy several at once", "deploy/several"],
      ["Require the reviewed plan", "deploy/reviewed-plan"],
      ["Roll back", "deploy/roll-back"],
      ["Freeze deployments", "deploy/freeze"],
      ["Delete a deployment", "deploy/delete"],
      ["Give pull requests an environment", "deploy/environments"],
      ["Roll out configuration", "deploy/configuration"],
      ["Run migrations", "deploy/migrations"],
      ["Zero downtime", "deploy/zero-downtime"],
      ["Grow volumes", "deploy/grow-volumes"],
      ["Check a deployment", "deploy/checks"],
    ]),
    group("Operate", [
      ["Inspect deployments", "operate/inspect"],
      ["Find the origin of a value", "operate/why"],
      ["Detect drift", "operate/detect-drift"],
      ["Correct drift continuously", "operate/correct-drift"],
      ["Fix a blocked preview", "operate/blocked-preview"],
      ["Resolve a field conflict", "operate/field-conflict"],
      ["Fix a stuck rollout", "operate/stuck-rollout"],
      ["Upgrade Kubernetes", "operate/upgrade-kubernetes"],
    ]),
    group("Secure and integrate", [
      ["Set up permissions", "integrate/permissions"],
      ["Log in with OIDC", "integrate/oidc"],
      ["Log in to a cloud", "integrate/cloud-logins"],
      ["Use private modules", "integrate/private-modules"],
      ["Use secrets", "integrate/secrets"],
      ["Preview forks and Dependabot", "integrate/forks"],
      ["Start workflows from comments", "integrate/comment-commands"],
      ["Use GitHub deployments and checks", "integrate/github-deployments"],
      ["Send notifications", "integrate/notifications"],
      ["Use GitHub Enterprise Server", "integrate/enterprise-server"],
      ["Set up an editor", "integrate/editors"],
    ]),
  ],
};

const concepts: Section = {
  text: "Concepts",
  places: ["/concepts/"],
  groups: [
    group("Overview", [
      ["How qvs works", "concepts/how-qvs-works"],
      ["Security model", "concepts/security"],
      ["Glossary", "concepts/glossary"],
    ]),
    group("Previews", [
      ["Previews", "concepts/previews"],
      ["Preview comment", "concepts/preview-comment"],
      ["Attribution", "concepts/attribution"],
      ["Rollout prediction", "concepts/rollout-prediction"],
      ["Admission and policies", "concepts/admission"],
    ]),
    group("Deployments", [
      ["Order and readiness", "concepts/order"],
      ["Ownership", "concepts/ownership"],
      ["Releases", "concepts/releases"],
    ]),
  ],
};

const commands = [
  ...[
    "init",
    "describe",
    "compile",
    "lock",
    "outdated",
    "schema",
    "graph",
    "changed",
    "diff",
    "deploy",
  ],
  ...[
    "rollback",
    "delete",
    "environments",
    "status",
    "health",
    "get",
    "releases",
    "drift",
    "reconcile",
    "rbac",
  ],
  ...["why", "completion"],
];

const reference: Section = {
  text: "Reference",
  places: ["/reference/"],
  groups: [
    group("CLI", [
      ["Commands and flags", "reference/cli"],
      ...commands.map((name) => [`qvs ${name}`, `reference/cli/${name}`] as const),
    ]),
    group("GitHub", [
      ["Action", "reference/action"],
      ["Workflows", "reference/workflows"],
    ]),
    group("Files", [
      ["qvs.yaml", "reference/qvs-yaml"],
      ["deployments.yaml", "reference/deployments-yaml"],
      ["Adapters", "reference/adapters"],
      ["Annotations", "reference/annotations"],
      ["Plan format", "reference/plan-format"],
      ["plan.json", "reference/plan"],
    ]),
    group("Codes", [
      ["Findings", "reference/findings"],
      ["Errors and notices", "reference/errors"],
    ]),
    group("Behavior", [
      ["Deployment", "reference/deployment"],
      ["Health rules", "reference/health-rules"],
      ["Checks", "reference/checks"],
      ["Field ownership", "reference/ownership"],
      ["Drift", "reference/drift"],
      ["Controller", "reference/reconcile"],
      ["Supported versions and limits", "reference/limits"],
    ]),
  ],
};

const project: Section = {
  text: "Project",
  places: ["/project/", "/decisions/"],
  groups: [
    group("Project", [
      ["Compare", "project/compare"],
      ["Performance and scaling", "project/performance"],
      ["Verification status", "project/verification"],
    ]),
    group("Decisions", [
      ["All decisions", "decisions/index"],
      ["CUE in worker threads", "decisions/cue-in-workers"],
      ["Locked Git modules", "decisions/git-modules"],
      ["Checks against schemas", "decisions/manifest-schemas"],
      ["Charts", "decisions/charts"],
      ["Charts of registries", "decisions/remote-charts"],
      ["Charts of adapters", "decisions/adapter-charts"],
      ["Remote bases", "decisions/remote-bases"],
      ["Differences from the specification", "decisions/specification-differences"],
      ["One planner", "decisions/one-planner"],
      ["Server-Side Apply", "decisions/server-side-apply"],
      ["Sent manifests", "decisions/sent-manifests"],
      ["Dry runs", "decisions/dry-runs"],
      ["Planned cluster state", "decisions/planned-cluster-state"],
      ["Kubernetes client", "decisions/kubernetes-client"],
      ["Secret values", "decisions/secret-values"],
      ["Objects of other owners", "decisions/objects-of-other-owners"],
      ["Untrusted input", "decisions/untrusted-input"],
      ["Findings", "decisions/findings"],
      ["Rollout simulation", "decisions/rollout-simulation"],
      ["Forecast of ready Pods", "decisions/availability-forecast"],
      ["Lost requests", "decisions/lost-requests"],
      ["Sources of changes", "decisions/change-sources"],
      ["Waiting", "decisions/waiting"],
      ["Health rules", "decisions/health-rules"],
      ["Replacements", "decisions/replacements"],
      ["Deletions", "decisions/deletions"],
      ["Checks before deletions", "decisions/checks-before-deletions"],
      ["Removed deployments", "decisions/removed-deployments"],
      ["Preview environments", "decisions/preview-environments"],
      ["Deployment lock", "decisions/deployment-lock"],
      ["Permissions", "decisions/permissions"],
      ["Release records", "decisions/release-records"],
      ["Rollbacks", "decisions/rollbacks"],
      ["Previews of rollbacks", "decisions/rollback-preview"],
      ["Drift", "decisions/drift"],
      ["Controller", "decisions/controller"],
      ["Origin of a value", "decisions/field-origin"],
      ["Encoded output", "decisions/encoded-output"],
      ["Preview comment", "decisions/preview-comment"],
      ["Problem codes", "decisions/problem-codes"],
      ["Approvals", "decisions/approvals"],
      ["Jobs of workflows", "decisions/workflow-jobs"],
      ["Distribution", "decisions/distribution"],
      ["Tests and documentation", "decisions/tests-and-documentation"],
    ]),
  ],
};

const sections: readonly Section[] = [getStarted, guides, concepts, reference, project];

/** Lists each page once, by groups of the sidebars. */
export const groups: readonly Group[] = sections.flatMap((section) => section.groups);

/** The sidebar of each place: the groups of its section. Only the group of the page is open. */
export const sidebar: Record<string, Group[]> = Object.fromEntries(
  sections.flatMap(({ places, groups: own }) => places.map((place) => [place, [...own]])),
);

/** The navigation bar leads to the first page of each section. */
export const nav: { text: string; link: string; activeMatch: string }[] = sections.map(
  ({ text, places, groups: [first] }) => ({
    text,
    link: first?.items[0]?.link ?? "/",
    activeMatch: `^(?:${places.join("|")})`,
  }),
);
