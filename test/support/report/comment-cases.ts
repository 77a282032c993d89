import { checkKey } from "../../../src/model/deployments/deployment-checks.ts";
import { idOf, type KubeObject } from "../../../src/model/object.ts";
import type { Plan } from "../../../src/model/plan/plan.ts";
import type { Finding } from "../../../src/model/problems/finding.ts";
import type { Problem } from "../../../src/model/problems/problem.ts";
import type { ChangedSource } from "../../../src/model/sources/locked-source.ts";
import { deletionProblems } from "../../../src/plan/deletions/deletion-problems.ts";
import type { CommentInput } from "../../../src/report/comment/comment-input.ts";
import {
  commentInput,
  live,
  planned,
  service,
  shopCompilation,
  shopDeployment,
  shopPlan,
  shopReport,
} from "../shop/shop-report.ts";
import { reportOf } from "./report-of.ts";

const config = "services/shop/.valuestream/qvs.yaml";
const conflict: Problem = {
  code: "field-conflict",
  subjects: ["Deployment shop/web"],
  about: [{ resource: "app/web", fields: ["spec.replicas"] }],
  where: [{ file: config, line: 14, column: 5 }],
  what: "Deployment shop/web: spec.replicas is owned by another field manager",
  facts: [
    {
      label: "owner",
      value: '"kubectl-edit" (Update, since 2026-03-01T10:00:00Z)',
    },
    { label: "cluster", value: "5" },
    { label: "manifest", value: "3" },
  ],
  fix: "Keep the live value: add the annotation vs.axis-dev.io/ignore-changes: 'spec.replicas'",
  otherwise: [
    "remove spec.replicas from the manifest",
    "overwrite it with --takeover=kubectl-edit, which takes all fields of kubectl-edit in the declared objects and removes undeclared ones",
  ],
  inputs: ["takeover: kubectl-edit"],
  paste: ["metadata:", "  annotations:", "    vs.axis-dev.io/ignore-changes: 'spec.replicas'"],
};
const undeclared: Problem = {
  code: "unknown-parameter",
  where: [{ file: config, line: 9, column: 12 }],
  what: 'Parameter "replica" isn\'t declared',
  fix: 'Did you mean "$(params.replicas)"?',
  otherwise: ['declare "replica" under params', "write $$(params.replica) for the literal string"],
};
const webAddress = { apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name: "web" };
const hangingRollout: Finding = {
  code: "rollout-deadlock",
  severity: "error",
  object: webAddress,
  where: [{ file: "adapters/web/main.cue", line: 7, column: 3 }],
  what: "Deployment shop/web: its rollout can't complete",
  why: "New Pods wait until old ones stop, and old Pods stop only after new ones are available. It has 3 replicas, at most 1 more (maxSurge) and 0 fewer (maxUnavailable). None of the 3 nodes can take one more Pod: 3 excluded by its anti-affinity (kubernetes.io/hostname)",
  fix: "Set maxUnavailable to 1, so that one old Pod stops before a new one starts",
  paste: ["spec:", "  strategy:", "    rollingUpdate:", "      maxUnavailable: 1"],
};
const looseImage: Finding = {
  code: "image-not-pinned",
  severity: "note",
  object: { ...webAddress, name: "worker" },
  path: ["spec", "template", "spec", "containers", "0", "image"],
  where: [{ file: "adapters/worker/main.cue", line: 20, column: 4 }],
  what: "Deployment shop/worker: registry.example/worker:latest has no fixed version",
  why: "A node pulls the version of registry.example/worker:latest that has the tag latest in the registry at that time",
  fix: "Add a version tag or a digest to the image name",
};
const slowRollout: Finding = {
  code: "rollout-slow",
  severity: "warning",
  object: { ...webAddress, name: "worker" },
  path: ["spec", "minReadySeconds"],
  where: [{ file: "adapters/worker/main.cue", line: 7, column: 3 }],
  what: "Deployment shop/worker: its rollout takes longer than the timeout of 600 s",
  why: "It takes at least 720 s: 12 batches of new Pods start one after another, and each must be ready for 60 s (minReadySeconds)",
  fix: "Set a longer --timeout for deploy (input timeout), or lower minReadySeconds, or raise maxUnavailable or maxSurge",
};
const recreation: Finding = {
  code: "immutable",
  severity: "warning",
  object: webAddress,
  path: ["spec", "selector"],
  where: [{ file: "adapters/web/main.cue", line: 12, column: 3 }],
  what: "Deployment shop/web is deleted and created again",
  why: 'spec.selector can\'t be changed on a live object, and vs.axis-dev.io/replace: "true" allows the replacement. Effect: it has no Pods until the new ones are ready',
  fix: "Check that its Pods can be absent during the replacement, or give it another name, so that the old one is deleted only after the new one is ready",
};
const interruption: Finding = {
  code: "service-without-endpoints",
  severity: "warning",
  object: { apiVersion: "v1", kind: "Service", namespace: "shop", name: "web" },
  where: [{ file: "adapters/web/main.cue", line: 31, column: 3 }],
  what: "Service shop/web has no endpoints until new Pods are ready",
  why: "Its selector changes together with the labels of the Pods, and no old Pod has app=shop. Until then, requests to it fail",
  fix: "First deploy the new Pods in a Deployment with another name, keep the old Pods, and leave the selector unchanged. Change the selector and remove the old Pods in a later deployment. Or make sure that no one needs the Service until then",
};
const fullQuota: Finding = {
  code: "quota-exceeded",
  severity: "error",
  object: webAddress,
  where: [{ file: "adapters/web/main.cue", line: 7, column: 3 }],
  what: "Deployment shop/web: ResourceQuota shop/team has too little left for this deployment",
  why: "requests.memory: 4Gi more needed for 4 Pods instead of 2, 2Gi of 16Gi left",
  fix: "Raise the quota, or request less",
};
const endedRollback: Finding = {
  code: "rolled-back",
  severity: "warning",
  object: webAddress,
  where: [],
  what: "Release 6 was rolled back and would be deployed again",
  why: "The rollback to release 5 is the current release, 7. This deployment has exactly the objects of release 6. This pull request changes the deployment, so merging it ends the rollback",
  fix: "Find out first why release 6 was rolled back",
};
const freeze: Problem = {
  code: "deployments-frozen",
  where: [],
  what: "Deployments in namespace shop are frozen until 2026-12-01T08:00:00Z",
  facts: [
    { label: "reason", value: "Black Friday" },
    { label: "by", value: "ann" },
  ],
  fix: "Wait until the freeze ends",
  otherwise: ["override the freeze with --override-freeze=black-friday"],
  inputs: ["override-freeze: black-friday"],
};
const leftBehind: Problem = {
  code: "orphaned-deployment",
  where: [],
  what: 'Removed deployment "shop-staging" leaves its objects in namespace shop',
  why: "qvs doesn't delete them",
  facts: [{ label: "objects", value: "Deployment shop/web, Service shop/web" }],
  fix: "Run this after the merge to delete the 2 objects: qvs delete -d shop-staging -n shop --expect-digest 9f2c4e6a8b0d",
};
const lockLine = (line: number) => ({
  file: "services/shop/.valuestream/qvs.lock",
  line,
  column: 5,
});
const sha = (digit: string) => `sha256:${digit.repeat(64)}`;
const movedSources: readonly ChangedSource[] = [
  {
    type: "module",
    name: "acme.example/adapters",
    before: { from: "git.acme.example/mono", version: "v1.0.0", pinned: "1".repeat(40) },
    after: { from: "git.acme.example/mono", version: "v1.1.0", pinned: "2".repeat(40) },
    where: lockLine(4),
  },
  {
    type: "module",
    name: "acme.example/extra",
    after: { from: "git.acme.example/extra", version: "3".repeat(40), pinned: "3".repeat(40) },
    where: lockLine(9),
  },
  {
    type: "chart",
    name: "db",
    before: { from: "https://charts.example/old", version: "1.0.0", pinned: sha("4") },
    after: { from: "oci://registry.example/charts", version: "1.0.0", pinned: sha("5") },
    where: lockLine(14),
  },
  {
    type: "chart",
    name: "redis",
    before: { from: "https://charts.example/stable", version: "18.1.0", pinned: sha("6") },
    after: { from: "https://charts.example/stable", version: "18.2.0", pinned: sha("7") },
    where: lockLine(18),
  },
  {
    type: "base",
    name: "https://git.example/acme/bases (web)",
    before: {
      from: "https://git.example/acme/bases (web)",
      version: "main",
      pinned: "8".repeat(40),
    },
    after: {
      from: "https://git.example/acme/bases (web)",
      version: "main",
      pinned: "9".repeat(40),
    },
    where: lockLine(23),
  },
  {
    type: "base",
    name: "https://git.example/acme/jobs",
    before: { from: "https://git.example/acme/jobs", version: "v3", pinned: "a".repeat(40) },
    where: lockLine(28),
  },
];
const replacedChart: ChangedSource = {
  type: "chart",
  name: "redis",
  before: { from: "https://charts.example/stable", version: "18.1.0", pinned: sha("6") },
  after: { from: "https://charts.example/stable", version: "18.1.0", pinned: sha("7") },
  where: lockLine(18),
};
const same = shopCompilation("1.5.0", "308a0d0c4c", "debug");
const untouched: Plan = shopPlan({
  changes: [planned("app", "service", service(), live(service()))],
  deletions: [],
});

/** Returns the plan with updates that the API server rejects. The other changes stay accepted. */
function inConflict(plan: Plan): Plan {
  const certainty = { by: "refused", reason: conflict.what } as const;
  const changes = plan.changes.map((change) =>
    change.action === "update" ? { ...change, certainty, predicted: undefined } : change,
  );
  return { ...plan, changes };
}

/** The shop's Deployment, as YAML. */
function app(replicas: number, image = "1.5.0", more = ""): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web${more}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "registry.example/shop:${image}"}]}
`;
}

function settings(name: string, text: string): string {
  return `# id: settings
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}}
data: {settings.json: '${text}'}
`;
}

/** Returns the object with another field manager as the owner of the number of replicas. */
function edited(yaml: string, manager: string, operation = "Update"): string {
  const fields = "{f:spec: {f:replicas: {}}}";
  const entry = `{manager: ${manager}, operation: ${operation}, time: "2026-11-19T09:30:00Z", fieldsV1: ${fields}}`;
  return yaml.replace("{name: web", `{managedFields: [${entry}], name: web`);
}

const all = (...documents: readonly string[]) => documents.join("---\n");

const numbered = (number: number, write: (i: number) => string) =>
  all(...Array.from({ length: number }, (_, i) => write(i)));

const worker = (i: number, version: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: worker-${i}, labels: {app: worker-${i}, version: "${version}"}}
spec:
  replicas: ${i + 1}
  selector: {matchLabels: {app: worker-${i}}}
  template:
    metadata: {labels: {app: worker-${i}}}
    spec: {containers: [{name: main, image: "registry.example/worker:1"}]}
`;

const plainMap = (i: number, size: number) => `
apiVersion: v1
kind: ConfigMap
metadata: {name: part-${i}}
data: {size: "${size}"}
`;

const labelledMap = (i: number, version: string) => `
apiVersion: v1
kind: ConfigMap
metadata: {name: part-${i}, labels: {app.kubernetes.io/version: "${version}"}}
data: {number: "${i}"}
`;

const definition = (versions: string) => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crews.shop.example}
spec:
  group: shop.example
  names: {kind: Crew, plural: crews}
  scope: Namespaced
  versions:
${versions}`;

const version = (name: string, served: boolean, fields: string) =>
  `    - {name: ${name}, served: ${served}, storage: ${served}, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {${fields}}}}}}}\n`;

const named = (name: string, environment: string) => shopDeployment({ name, environment });

const chain = (version: string) =>
  numbered(
    14,
    (i) => `
apiVersion: v1
kind: ConfigMap
metadata: {name: step-${String(i).padStart(2, "0")}}
data: {version: "${version}"}
`,
  );

/** Returns the plan with changes that wait for the change before them. */
function inChain(plan: Plan): Plan {
  const changes = plan.changes.map((change, i) => {
    const before = plan.changes[i - 1];
    return before === undefined || i % 5 > 0
      ? change
      : { ...change, after: [{ on: before.key, reason: "it reads it" }] };
  });
  return { ...plan, changes };
}

const long = (level: string) =>
  `--${"listen=0.0.0.0:8080 --cache=/var/cache/shop ".repeat(4)}--level=${level} ${"--peer=shop.example ".repeat(6)}`;

const command = (level: string) => `
apiVersion: v1
kind: ConfigMap
metadata: {name: command}
data: {line: "${long(level)}"}
`;

const ports = (names: readonly string[]) => `
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [${names.map((name) => `{name: ${name}, port: ${name.length}080}`).join(", ")}]}
`;

const secret = (value: string) => `
apiVersion: v1
kind: Secret
metadata: {name: login}
data: {user: c2hvcA==, password: ${value}}
`;

const claimObject: KubeObject = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data", namespace: "shop" },
};
const claim = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {resources: {requests: {storage: 10Gi}}}
`;

const [protectedDeletion] = deletionProblems(
  { entry: { id: idOf(claimObject) }, live: claimObject },
  { declared: [], kept: [] },
  { namespace: "shop", policy: { allowDelete: [] } },
) as readonly [Problem];

const replaced = reportOf(
  {
    base: all(app(3), ports(["http"])),
    head: all(app(3, "1.6.0"), ports(["http"])).replaceAll("app: web", "app: shop"),
  },
  { findings: [recreation, interruption] },
);
const recreated: Plan = {
  ...(replaced.plan ?? shopPlan()),
  changes: (replaced.plan?.changes ?? []).map((change) =>
    change.id.kind === "Service"
      ? change
      : {
          ...change,
          action: "replace",
          steps: [{ type: "recreate", fields: ["spec.selector"] }, { type: "apply" }],
        },
  ),
};

/** Returns the Deployment with Pods that exclude each other from a node. */
function spread(deployment: string): string {
  return deployment.replace(
    "spec: {containers",
    "spec: {affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}]}}, containers",
  );
}

/**
 * Returns a Deployment with 12 Pods, one after another, and one whose 3 Pods exclude each other.
 */
const stage = (version: string) =>
  all(
    spread(app(3, version)),
    `
apiVersion: apps/v1
kind: Deployment
metadata: {name: worker}
spec:
  replicas: 12
  minReadySeconds: 60
  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}
  selector: {matchLabels: {app: worker}}
  template:
    metadata: {labels: {app: worker}}
    spec: {containers: [{name: main, image: "registry.example/worker:latest", args: ["--release=${version}"]}]}
`,
    plainMap(0, version === "1.5.0" ? 1 : 2),
  );

const scaler = `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, minReplicas: 2, maxReplicas: 10}
`;
const scaled = reportOf({
  base: all(app(3), scaler),
  head: all(app(3, "1.6.0"), scaler),
  live: all(edited(app(5), "kubectl-edit"), scaler),
});

const adopted = reportOf({
  base: app(3),
  head: app(3),
  recorded: plainMap(0, 1),
  live: all(edited(app(5), "kubectl-client-side-apply"), plainMap(0, 1)),
});

const unsure = reportOf({ base: plainMap(0, 1), head: all(plainMap(0, 2), plainMap(1, 1)) });
const unchecked: Plan = {
  ...(unsure.plan ?? shopPlan()),
  changes: (unsure.plan?.changes ?? []).map((change) => ({
    ...change,
    predicted: undefined,
    certainty: { by: "unchecked", reason: "this identity isn't allowed to patch ConfigMaps" },
  })),
};

const ignoring = (replicas: number) =>
  app(replicas, "1.5.0", ', annotations: {vs.axis-dev.io/ignore-changes: "spec.replicas"}');

const hostile =
  "x](https://evil.example) @octocat #12 </details> | `` <img src=x> <!-- qvs-action:comment v1 -->";

function hostileObject(name: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "shop" },
    data: { text: `\`\`\`\n${hostile}\n\`\`\`` },
  };
}

/** The pull request removes the deployment from the list, so there is nothing to compile. */
const absent = { base: undefined, head: undefined, attributions: undefined };

export interface CommentCase {
  readonly name: string;
  readonly input: CommentInput;
}

/** Makes the input when a test first uses it, because that takes a second. */
function largeCase(name: string, make: () => CommentInput): CommentCase {
  let made: CommentInput | undefined;
  return {
    name,
    get input() {
      made ??= make();
      return made;
    },
  };
}

/** Reports whether a comment takes seconds to render. */
export function isLarge(name: string): boolean {
  return name.includes("three thousand");
}

/** The inputs of the comments in `test/unit/report/comment/golden`, one file each. */
/** Returns the shop's plan with a check before its Deployment, and two before the deletions. */
function checkedPlan(): Plan {
  const plan = shopPlan();
  const [config, web] = plan.changes;
  if (config === undefined || web === undefined) throw new Error("The plan has two changes.");
  const key = checkKey("shop", { name: "database" });
  const waits = {
    on: key,
    reason: "annotation vs.axis-dev.io/dependsOn",
    unrecorded: true,
  } as const;
  const needed = { on: config.key, reason: "its Pod template reads it" };
  const gate = { key, name: "database", stage: "app", after: [needed], digest: "1" } as const;
  const job = { type: "job", timeoutMs: 300_000, spec: {} } as const;
  return {
    ...plan,
    changes: plan.changes.map((each) =>
      each === web ? { ...each, after: [...each.after, waits] } : each,
    ),
    checks: ["database", "smoke", "errors"].map((name) => ({ ...job, name })),
    gates: [{ ...gate, before: [web.key] }],
  };
}

export const commentCases: readonly CommentCase[] = [
  { name: "a routine change", input: commentInput(shopReport()) },
  {
    name: "checks between the changes",
    input: commentInput(shopReport({ plan: checkedPlan() })),
  },
  {
    name: "a deletion that nothing replaces",
    input: commentInput(reportOf({ base: all(app(3), ports(["http"])), head: app(3) })),
  },
  {
    name: "a deployment that merging deletes",
    input: commentInput(
      reportOf({ base: all(app(3), plainMap(0, 1)), head: "" }, { ...absent, removal: "delete" }),
    ),
  },
  {
    name: "a config that does not compile",
    input: commentInput(shopReport({ head: undefined, plan: undefined, problems: [undeclared] })),
  },
  {
    name: "a conflict with another manager",
    input: commentInput(shopReport({ plan: inConflict(shopPlan()), blockers: [conflict] })),
  },
  {
    name: "a rollout that would hang",
    input: commentInput(
      reportOf({ base: app(3), head: spread(app(3)) }, { findings: [hangingRollout] }),
    ),
  },
  {
    name: "a fork, which may not see the cluster",
    input: commentInput(
      shopReport({
        plan: undefined,
        release: undefined,
        clusterState: {
          compared: false,
          because: "pull requests from forks get no credentials",
          isFork: true,
        },
      }),
    ),
  },
  {
    name: "a fork that deletes something",
    input: commentInput(
      shopReport({
        base: reportOf({ head: all(app(3), ports(["http"])) }).head,
        head: reportOf({ head: app(3) }).head,
        plan: undefined,
        release: undefined,
        clusterState: {
          compared: false,
          because: "pull requests from forks get no credentials",
          isFork: true,
        },
      }),
    ),
  },
  {
    name: "a quota that is exceeded",
    input: commentInput(reportOf({ base: app(2), head: app(4) }, { findings: [fullQuota] })),
  },
  {
    name: "a rollback that merging ends",
    input: commentInput(
      reportOf({ base: app(3), head: app(3, "1.6.0") }, { findings: [endedRollback] }),
    ),
  },
  {
    name: "deployments that are frozen",
    input: commentInput(
      (() => {
        const report = reportOf({ base: app(3), head: app(3, "1.6.0") });
        return { ...report, plan: { ...(report.plan ?? shopPlan()), notices: [freeze] } };
      })(),
    ),
  },
  {
    name: "a deployment that is removed",
    input: commentInput(
      shopReport({
        base: undefined,
        head: undefined,
        plan: undefined,
        release: undefined,
        orphanWarnings: [leftBehind],
        clusterState: { compared: false, because: "it is removed" },
      }),
    ),
  },
  {
    name: "drift that takes nothing away",
    input: commentInput(
      reportOf({
        base: all(app(3), plainMap(0, 1)),
        head: all(app(3), plainMap(0, 1)),
        live: all(app(3), plainMap(0, 2)),
      }),
    ),
  },
  {
    name: "a change of another deployment only",
    input: commentInput(
      shopReport({ base: same, head: same, plan: untouched }),
      reportOf({ base: app(3), head: app(3, "1.6.0") }, { deployment: named("shop-prod", "prod") }),
    ),
  },
  {
    name: "sources that move in the lockfile",
    input: commentInput(
      reportOf({ base: app(3), head: app(3, "1.6.0") }, { sources: movedSources }),
    ),
  },
  {
    name: "a lockfile whose change changes no object",
    input: commentInput(
      shopReport({ base: same, head: same, plan: untouched, sources: movedSources.slice(0, 1) }),
    ),
  },
  {
    name: "a version with other content",
    input: commentInput(
      shopReport({ base: same, head: same, plan: untouched, sources: [replacedChart] }),
      reportOf({ base: app(3), head: app(3, "1.6.0") }, { deployment: named("shop-prod", "prod") }),
    ),
  },
  {
    name: "deletions of every kind",
    input: commentInput(
      reportOf({
        base: all(app(3), ports(["http"]), plainMap(0, 1), scaler),
        head: plainMap(1, 1),
      }),
    ),
  },
  {
    name: "a manual change in the cluster",
    input: commentInput(
      reportOf({ base: app(3), head: app(3), live: edited(app(5), "kubectl-edit") }),
    ),
  },
  {
    name: "three deployments, one of them untouched",
    input: commentInput(
      shopReport(),
      shopReport({ deployment: named("shop-prod", "prod"), base: same }),
      shopReport({
        deployment: shopDeployment({ name: "platform" }),
        base: same,
        head: same,
        plan: untouched,
      }),
    ),
  },
  {
    name: "nothing to do",
    input: commentInput(shopReport({ base: same, head: same, plan: untouched })),
  },
  {
    name: "one line of one object",
    input: commentInput(reportOf({ base: plainMap(0, 1), head: plainMap(0, 2) })),
  },
  {
    name: "a first install",
    input: commentInput(reportOf({ head: all(plainMap(0, 1), app(3), ports(["http"])) })),
  },
  {
    name: "a Deployment under another name",
    input: commentInput(
      reportOf({
        base: `# id: web${app(3)}`,
        head: `# id: web${app(3).replace("name: web}", "name: shop}")}`,
      }),
    ),
  },
  {
    name: "a new hash without a base",
    input: commentInput(
      reportOf({
        recorded: settings("settings-1a2b", '{"level":"info"}'),
        head: settings("settings-3c4d", '{"level":"debug"}'),
      }),
    ),
  },
  {
    name: "fewer replicas in production",
    input: commentInput(
      reportOf(
        { base: app(3), head: app(1), params: [{ replicas: 3 }, { replicas: 1 }] },
        { deployment: named("shop-prod", "prod") },
      ),
    ),
  },
  {
    name: "a change and drift in one object",
    input: commentInput(
      reportOf({
        base: app(3, "1.5.0"),
        head: app(3, "1.6.0"),
        live: edited(app(5, "1.5.0"), "kubectl-scale"),
      }),
    ),
  },
  { name: "an object adopted from kubectl", input: commentInput(adopted) },
  {
    name: "defaults of a webhook",
    input: commentInput(
      reportOf({
        base: app(3, "1.5.0"),
        head: app(3, "1.6.0"),
        predicted: {
          web: (object) => ({
            ...object,
            spec: { ...(object.spec as object), revisionHistoryLimit: 5, minReadySeconds: 10 },
          }),
        },
      }),
    ),
  },
  {
    name: "a change that was merged and never deployed",
    input: commentInput(
      reportOf({
        recorded: app(3, "1.5.0"),
        base: all(app(3, "1.6.0"), plainMap(1, 1)),
        head: all(app(3, "1.6.0"), plainMap(1, 1), plainMap(2, 1)),
      }),
    ),
  },
  {
    name: "a manually deleted object",
    input: commentInput(
      reportOf({
        base: all(app(3), plainMap(0, 1)),
        head: all(app(3), plainMap(0, 1)),
        live: app(3),
      }),
    ),
  },
  {
    name: "an object that is recreated",
    input: commentInput({ ...replaced, plan: recreated }),
  },
  {
    name: "a field that is left to another manager",
    input: commentInput(
      reportOf({
        base: all(ignoring(3), plainMap(0, 1)),
        head: all(ignoring(4), plainMap(0, 2)),
        live: all(ignoring(7), plainMap(0, 1)),
        predicted: {
          web: (object) => ({ ...object, spec: { ...(object.spec as object), replicas: 7 } }),
        },
      }),
    ),
  },
  { name: "changes without a dry-run", input: commentInput({ ...unsure, plan: unchecked }) },
  {
    name: "a Secret with another value",
    input: commentInput(reportOf({ base: secret("aHVudGVyMQ=="), head: secret("aHVudGVyMg==") })),
  },
  {
    name: "the same label in fourteen objects",
    input: commentInput(
      reportOf({
        base: numbered(14, (i) => worker(i, "1.2")),
        head: numbered(14, (i) => worker(i, "1.3")),
        params: [{ version: "1.2" }, { version: "1.3" }],
      }),
    ),
  },
  {
    name: "JSON inside a text",
    input: commentInput(
      reportOf({
        base: settings("settings", '{"log":{"level":"info","format":"json"},"limits":[1,2,3]}'),
        head: settings("settings", '{"limits":[1,2,4],"log":{"format":"json","level":"debug"}}'),
      }),
    ),
  },
  {
    name: "another version of a kind",
    input: commentInput(
      reportOf({
        base: definition(version("v1", true, "size: {type: integer}, colour: {type: string}")),
        head: definition(
          version("v1", false, "size: {type: string}") +
            version("v2", true, "size: {type: integer}, crew: {type: object}"),
        ),
      }),
    ),
  },
  {
    name: "a parameter with fields",
    input: commentInput(
      reportOf({
        base: all(settings("a", '{"greeting":"hi"}'), plainMap(0, 1)),
        head: all(settings("a", '{"greeting":"hello"}'), plainMap(0, 2)),
        params: [
          { settings: { greeting: "hi", size: 1, tags: ["a"] } },
          { settings: { greeting: "hello", size: 2, tags: ["a"] } },
        ],
      }),
    ),
  },
  {
    name: "one word of a long line",
    input: commentInput(reportOf({ base: command("info"), head: command("debug") })),
  },
  {
    name: "items that only moved",
    input: commentInput(
      reportOf({
        base: ports(["http", "admin", "grpc"]),
        head: ports(["grpc", "http", "metrics"]),
      }),
    ),
  },
  {
    name: "an order of many objects",
    input: commentInput(
      (() => {
        const report = reportOf({ base: chain("1"), head: chain("2") });
        return { ...report, plan: inChain(report.plan ?? shopPlan()) };
      })(),
    ),
  },
  {
    name: "a deletion of a protected object",
    input: commentInput(
      reportOf({ base: all(app(3), claim), head: app(3) }, { blockers: [protectedDeletion] }),
    ),
  },
  {
    name: "findings of every kind",
    input: commentInput(
      reportOf(
        { base: stage("1.5.0"), head: stage("1.6.0") },
        {
          findings: [
            hangingRollout,
            slowRollout,
            looseImage,
            {
              ...looseImage,
              code: "rolled-back",
              object: webAddress,
              what: "Deployment shop/web: the current release is a rollback",
              allowed: { where: [{ file: "adapters/web/main.cue", line: 9, column: 3 }] },
            },
          ],
        },
      ),
    ),
  },
  {
    name: "a conflict with an autoscaler of the deployment",
    input: commentInput({
      ...scaled,
      plan: inConflict(scaled.plan ?? shopPlan()),
      blockers: [conflict],
    }),
  },
  {
    name: "two deployments, one in conflict",
    input: commentInput(
      shopReport(),
      shopReport({
        deployment: named("shop-prod", "prod"),
        plan: inConflict(shopPlan()),
        blockers: [conflict],
      }),
    ),
  },
  {
    name: "deployments that wait for one that would fail",
    input: commentInput(
      shopReport({
        deployment: named("platform", "prod"),
        plan: inConflict(shopPlan()),
        blockers: [conflict],
      }),
      reportOf(
        { base: app(3, "1.5.0"), head: app(3, "1.6.0") },
        { deployment: named("api", "prod"), waitsFor: ["platform"] },
      ),
      reportOf(
        { base: app(3), head: app(1) },
        { deployment: named("web", "prod"), waitsFor: ["api", "platform"] },
      ),
      reportOf(
        { base: app(3, "1.5.0"), head: app(3, "1.6.0") },
        { deployment: named("docs", "prod") },
      ),
    ),
  },
  {
    name: "thirty deployments",
    input: commentInput(
      ...Array.from({ length: 30 }, (_, i) => {
        const deployment = named(`shop-${String(i + 1).padStart(2, "0")}`, `cluster-${i + 1}`);
        if (i === 17) return reportOf({ base: app(3), head: app(1) }, { deployment });
        if (i === 22) {
          return reportOf(
            { base: all(app(3), claim), head: app(3) },
            { deployment, blockers: [protectedDeletion] },
          );
        }
        if (i % 3 === 2) return reportOf({ base: app(3), head: app(3) }, { deployment });
        return reportOf({ base: app(3, "1.5.0"), head: app(3, "1.6.0") }, { deployment });
      }),
    ),
  },
  largeCase("three thousand objects", () =>
    commentInput(
      reportOf({
        base: all(
          numbered(3000, (i) => plainMap(i, 1)),
          claim,
        ),
        head: numbered(3000, (i) => plainMap(i, i)),
      }),
    ),
  ),
  largeCase("three thousand objects that change alike", () =>
    commentInput(
      reportOf({
        base: numbered(3000, (i) => labelledMap(i, "1.4.2")),
        head: numbered(3000, (i) => labelledMap(i, "1.5.0")),
      }),
    ),
  ),
  {
    name: "untrusted text",
    input: commentInput(
      shopReport({
        deployment: shopDeployment({ config: `a/${hostile}.yaml` }),
        plan: shopPlan({
          changes: [planned("app", "web", hostileObject(hostile), undefined)],
          deletions: [],
          notices: [{ code: "adopted-object", what: hostile, fix: hostile, where: [] }],
        }),
        findings: [
          {
            ...hangingRollout,
            what: hostile,
            why: hostile,
            fix: hostile,
            paste: [hostile, "```"],
            where: [{ file: hostile, line: 1, column: 1 }],
          },
        ],
      }),
    ),
  },
];

export { same, untouched };

/** Returns the input with a name. */
export function caseNamed(name: string): CommentInput {
  const found = commentCases.find((each) => each.name === name);
  if (found === undefined) throw new Error(`The case ${name} doesn't exist.`);
  return found.input;
}
