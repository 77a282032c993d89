const group = (text: string, pages: readonly (readonly [string, string])[]) => ({
  text,
  collapsed: false,
  items: pages.map(([name, page]) => ({ text: name, link: `/${page}` })),
});

const getStarted = group("Get started", [
  ["Install", "get-started/install"],
  ["Deploy your first app", "get-started/first-deployment"],
  ["Preview pull requests", "get-started/preview-pull-requests"],
  ["Write an adapter", "get-started/write-an-adapter"],
]);

const migrate = group("Migrate", [
  ["From kubectl", "migrate/from-kubectl"],
  ["From Helm", "migrate/from-helm"],
  ["From kapp", "migrate/from-kapp"],
  ["From Argo CD", "migrate/from-argo-cd"],
]);

const deploy = group("Deploy", [
  ["Promote staging to production", "deploy/promote"],
  ["Require the reviewed plan", "deploy/reviewed-plan"],
  ["Roll back", "deploy/roll-back"],
  ["Freeze deployments", "deploy/freeze"],
  ["Delete a deployment", "deploy/delete"],
  ["Roll out configuration", "deploy/configuration"],
  ["Run migrations", "deploy/migrations"],
]);

const operate = group("Operate", [
  ["Inspect deployments", "operate/inspect"],
  ["Detect drift", "operate/detect-drift"],
  ["Correct drift continuously", "operate/correct-drift"],
  ["Fix a blocked preview", "operate/blocked-preview"],
  ["Resolve a field conflict", "operate/field-conflict"],
  ["Fix a stuck rollout", "operate/stuck-rollout"],
]);

const integrate = group("Secure and integrate", [
  ["Set up permissions", "integrate/permissions"],
  ["Log in with OIDC", "integrate/oidc"],
  ["Log in to a cloud", "integrate/cloud-logins"],
  ["Use private modules", "integrate/private-modules"],
  ["Use secrets", "integrate/secrets"],
  ["Preview forks and Dependabot", "integrate/forks"],
  ["Use GitHub deployments and checks", "integrate/github-deployments"],
  ["Use GitHub Enterprise Server", "integrate/enterprise-server"],
  ["Set up an editor", "integrate/editors"],
]);

const concepts = group("Concepts", [
  ["How qvs works", "concepts/how-qvs-works"],
  ["Previews", "concepts/previews"],
  ["Preview comment", "concepts/preview-comment"],
  ["Attribution", "concepts/attribution"],
  ["Rollout prediction", "concepts/rollout-prediction"],
  ["Admission and policies", "concepts/admission"],
  ["Order and readiness", "concepts/order"],
  ["Ownership", "concepts/ownership"],
  ["Releases", "concepts/releases"],
  ["Security model", "concepts/security"],
  ["Glossary", "concepts/glossary"],
]);

const reference = group("Reference", [
  ["CLI", "reference/cli"],
  ["Action", "reference/action"],
  ["Workflows", "reference/workflows"],
  ["qvs.yaml", "reference/qvs-yaml"],
  ["deployments.yaml", "reference/deployments-yaml"],
  ["Adapters", "reference/adapters"],
  ["Annotations", "reference/annotations"],
  ["Deployment", "reference/deployment"],
  ["Field ownership", "reference/ownership"],
  ["Drift", "reference/drift"],
  ["Controller", "reference/reconcile"],
  ["Findings", "reference/findings"],
  ["Errors and notices", "reference/errors"],
  ["Plan format", "reference/plan-format"],
  ["plan.json", "reference/plan"],
  ["Supported versions and limits", "reference/limits"],
]);

const project = group("Project", [
  ["Compare", "project/compare"],
  ["Performance and scaling", "project/performance"],
  ["Verification status", "project/verification"],
  ["Decisions", "decisions"],
]);

/** Lists every page once, by the sections of the site. */
export const sidebar = [
  getStarted,
  migrate,
  deploy,
  operate,
  integrate,
  concepts,
  reference,
  project,
];
