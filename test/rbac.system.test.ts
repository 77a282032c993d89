import { afterAll, expect, onTestFinished, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { uidOf } from "../src/model/object.ts";
import { missingAmong } from "../src/planning/rights/ask-rights.ts";
import type { Right } from "../src/planning/rights/right.ts";
import { rightsProblems } from "../src/planning/rights/rights-problem.ts";
import { openTarget } from "../src/world/open-target.ts";
import { startCompiler } from "../src/world/start-compiler.ts";
import { runHere } from "./cli/run-here.ts";
import { useCluster } from "./support/cluster.ts";
import { type Manifests, manifestsIn } from "./support/manifests-in.ts";
import { newAccount, type SentRequest, type TestAccount } from "./support/service-account.ts";

/** The roles that `qvs rbac` prints are enough, and nothing in them is more than is asked for, on a real control plane. */
const cluster = useCluster();
const compiler = startCompiler();
afterAll(() => compiler.close());

/** Of the kinds of rights that a deployment can need, one each. */
const everything = (place: string, hash: string, more = "", claim = "shared") => `
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings-${hash}}, data: {hash: "${hash}"}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: kept-v1, annotations: {vs.axis-dev.io/keepOnDelete: k}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {password: x}}
---
{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: [{port: 80}]}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {vs.axis-dev.io/dependsOn: "core:ConfigMap::${place}/kube-root-ca.crt"}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {hash: "${hash}"${more}}}
    spec:
      volumes: [{name: data, persistentVolumeClaim: {claimName: ${claim}}}]
      containers: [{name: web, image: "web:1", envFrom: [{configMapRef: {name: settings-${hash}}}]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules: [{apiGroups: [""], resources: [endpoints], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: ServiceAccount, name: default}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: ${place}}
rules: [{apiGroups: [""], resources: [nodes], verbs: [get]}]
`;

const compiling: ReadonlySet<string> = new Set(["deploy", "diff", "rbac"]);

/** qvs as an account, within this process. */
function qvsAs(demo: Manifests, account: TestAccount) {
  return (command: string, ...args: readonly string[]) => {
    const params = compiling.has(command) ? ["-p", "params.json"] : [];
    const argv = [command, "-n", demo.namespace, ...params, ...args];
    return runHere(demo.directory, argv, compiler, { KUBECONFIG: account.kubeconfig });
  };
}

async function roles(demo: Manifests, account: TestAccount, what: string, ...flags: string[]) {
  const printed = await qvsAs(demo, account)("rbac", what, "--subject", account.subject, ...flags);
  expect(printed.code, printed.stderr).toBe(0);
  return printed.stdout;
}

/** Into the namespaces that it names itself. */
async function applied(yaml: string): Promise<void> {
  const said = await cluster.kubectlSays(["apply", "-f", "-"], yaml);
  expect(said).not.toMatch(/error|must|invalid/i);
}

/** A printed rule, by its verbs. */
interface Rule {
  readonly place: string;
  readonly resource: string;
  readonly verb: string;
  readonly names: readonly string[];
  readonly isOptional: boolean;
  /** It is never used: having it is what Kubernetes asks for. */
  readonly isGiven: boolean;
}

interface PrintedRule {
  readonly role: { readonly namespace?: string };
  readonly rule: Readonly<
    Record<"apiGroups" | "resources" | "verbs", readonly string[]> & {
      resourceNames?: readonly string[];
    }
  >;
  readonly without?: string;
  readonly why: string;
}

async function rulesOf(demo: Manifests, account: TestAccount, what: string) {
  const { rules } = JSON.parse(await roles(demo, account, what, "--format", "json"));
  return (rules as readonly PrintedRule[]).flatMap(
    ({ role, rule, without, why }): readonly Rule[] => {
      return rule.resources.flatMap((resource) =>
        rule.verbs.map((verb) => ({
          ...{ place: role.namespace ?? "", verb, names: rule.resourceNames ?? [] },
          resource: [resource, rule.apiGroups[0]].filter(Boolean).join("."),
          isOptional: without !== undefined,
          isGiven: why.startsWith("Kubernetes lets nobody give rights away"),
        })),
      );
    },
  );
}

function isUsed(rule: Rule, sent: readonly SentRequest[]): boolean {
  return sent.some(
    ({ verb, resource, namespace, name, status }) =>
      // Server-Side Apply creates by a patch, which the server allows to who may create as well.
      (verb === rule.verb || (verb === "patch" && rule.verb === "create" && status === 201)) &&
      resource === rule.resource &&
      (rule.place === "" || namespace === rule.place) &&
      (rule.names.length === 0 || rule.names.includes(name)),
  );
}

const textOf = ({ place, resource, verb }: Rule) => `${verb} ${resource} in ${place || "all"}`;

test("the printed roles let deploy, wait, fail, roll back and delete, and each right in them is used", async () => {
  const demo = await manifestsIn(cluster);
  const place = demo.namespace;
  const account = await newAccount(cluster);
  const qvs = qvsAs(demo, account);
  demo.declare({ app: everything(place, "11111111") });
  const refused = await qvs("deploy");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("Allow get, create, update of leases.coordination.k8s.io");
  expect(refused.stderr).toContain("`qvs rbac deploy -d demo` prints the roles");
  await applied(await roles(demo, account, "deploy"));
  await cluster.apply(
    place,
    `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: shared}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}`,
  );

  const before = (await account.requests()).length;
  const run = async (expected: number, ...args: [string, ...string[]]) => {
    const { code, stderr, stdout } = await qvs(...args);
    expect(code, `${args} ${stdout} ${stderr}`).toBe(expected);
  };
  await run(0, "deploy", "--quiet", "--timeout", "10m");
  demo.declare({ app: everything(place, "22222222") });
  await run(0, "deploy", "--quiet", "--timeout", "10m");
  demo.declare({ app: everything(place, "33333333", ", test.qvs/behaviour: never-ready") });
  await run(1, "deploy", "--quiet", "--timeout", "2s");
  await run(0, "rollback", "--quiet", "--timeout", "10m", "--to", "1");
  demo.declare({ app: "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings-44444444}}" });
  await run(0, "deploy", "--quiet", "--timeout", "10m", "--allow-delete=PersistentVolumeClaim");

  const sent = (await account.requests()).slice(before);
  expect(sent.filter(({ status }) => status === 403)).toEqual([]);
  demo.declare({ app: everything(place, "11111111") });
  const rules = await rulesOf(demo, account, "deploy");
  const unused = rules.filter((rule) => !rule.isOptional && !rule.isGiven && !isUsed(rule, sent));
  expect(unused.map(textOf)).toEqual([]);
});

interface Case {
  readonly what: "drift" | "reconcile" | "delete";
  readonly flags: readonly string[];
  readonly code: number;
}

test("the printed roles let tell drift, correct it and delete the deployment, and each right in them is used", async () => {
  const demo = await manifestsIn(cluster);
  const place = demo.namespace;
  demo.declare({ app: everything(place, "11111111", "", "data") });
  expect((await demo.qvs("deploy", "--quiet", "--timeout", "10m")).code).toBe(0);
  const drifted = ["secret/login", "service/web", "deployment/web", "role/reader"];
  await demo.kubectl("label", "--overwrite", ...drifted, "vs.axis-dev.io/stage=other");
  await demo.kubectl("delete", "configmap", "settings-11111111");
  const cases: readonly Case[] = [
    { what: "drift", flags: [], code: 2 },
    { what: "reconcile", flags: ["--quiet"], code: 0 },
    {
      what: "delete",
      flags: ["-d", "demo", "--yes", "--delete-kept", "--allow-delete=PersistentVolumeClaim"],
      code: 0,
    },
  ];
  for (const { what, flags, code } of cases) {
    const account = await newAccount(cluster);
    await applied(await roles(demo, account, what));
    const rules = await rulesOf(demo, account, what);
    const api = await clusterOf(account);
    await expect.poll(() => missingAmong(api, rules.map(rightOf), 8)).toEqual([]);
    const before = (await account.requests()).length;
    const run = await qvsAs(demo, account)(what, ...flags);
    expect(run.code, `${what} ${run.stdout} ${run.stderr}`).toBe(code);
    const sent = (await account.requests()).slice(before);
    expect(
      sent.filter(({ status }) => status === 403),
      what,
    ).toEqual([]);
    const unused = rules.filter((rule) => !rule.isOptional && !rule.isGiven && !isUsed(rule, sent));
    // What is as it should be is not corrected.
    if (what !== "reconcile") expect(unused.map(textOf), what).toEqual([]);
  }
});

/** The cluster as an account sees it. */
async function clusterOf({ kubeconfig }: TestAccount) {
  const clock = { now: () => new Date(), sleep: async () => {} };
  const options = { idTokens: undefined, context: undefined, env: {}, clock, run: undefined };
  const target = await openTarget({ ...options, kubeconfig: { path: kubeconfig } });
  onTestFinished(() => target.close());
  return target.cluster;
}

function rightOf({ place, resource, verb, names }: Rule): Right {
  const [plural = "", ...group] = resource.split(".");
  const namespace = place === "" ? undefined : place;
  return { namespace, group: group.join("."), resource: plural, verb, name: names[0] };
}

const small = `
{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "web:1"}]}}}}
`;

test("with one verb less exactly that is named, and what is beyond the roles is denied", async () => {
  const demo = await manifestsIn(cluster);
  const place = demo.namespace;
  const account = await newAccount(cluster);
  const cloud = `---\n{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: ${place}}, rules: []}`;
  demo.declare({ app: `${small}${cloud}` });
  const printed = await roles(demo, account, "deploy");
  const rules = (await rulesOf(demo, account, "deploy")).filter(({ isOptional }) => !isOptional);
  await applied(printed);
  const api = await clusterOf(account);
  const missing = async () => (await missingAmong(api, rules.map(rightOf), 8)).map(textOfRight);
  await expect.poll(missing).toEqual([]);
  const documents = parseAllDocuments(printed).map((document) => document.toJS());
  const roleOf = (rule: Rule) =>
    documents.find(
      ({ kind, metadata }) =>
        kind.endsWith("Role") &&
        (metadata.namespace ?? "") === rule.place &&
        !metadata.name.endsWith("-optional"),
    );
  for (const [index, rule] of rules.entries()) {
    const role = roleOf(rule);
    await applied(JSON.stringify({ ...role, rules: rulesWithout(role.rules, rule) }));
    await expect.poll(missing).toEqual([textOfRight(rightOf(rule))]);
    // The next one of the same role takes its place.
    if (roleOf(rules[index + 1] ?? rule) !== role || index === rules.length - 1) {
      await applied(JSON.stringify(role));
    }
  }
  await expect.poll(missing).toEqual([]);

  const beyond: readonly Right[] = [
    right(place, "apps", "deployments", "patch", "other"),
    right(place, "apps", "deployments", "deletecollection"),
    right(place, "apps", "statefulsets", "create"),
    right(place, "", "pods/exec", "create"),
    right(place, "", "serviceaccounts/token", "create"),
    right(place, "coordination.k8s.io", "leases", "update", "other"),
    right("default", "", "secrets", "list"),
    right(undefined, "rbac.authorization.k8s.io", "clusterroles", "patch", "admin"),
    right(undefined, "", "nodes", "list"),
  ];
  expect(await missingAmong(api, beyond, 8)).toEqual(beyond);
});

test("reconcile without a right that its lock, its record or its lists need changes nothing, and names exactly that one", async () => {
  const demo = await manifestsIn(cluster);
  const account = await newAccount(cluster);
  demo.declare({ app: small });
  expect((await demo.qvs("deploy", "--quiet")).code).toBe(0);
  await demo.kubectl("label", "--overwrite", "configmap/a", "vs.axis-dev.io/stage=x");
  const printed = await roles(demo, account, "reconcile");
  const rules = (await rulesOf(demo, account, "reconcile")).filter(({ isOptional }) => !isOptional);
  const role = parseAllDocuments(printed)
    .map((document) => document.toJS())
    .find(({ kind, metadata }) => kind === "Role" && !metadata.name.endsWith("-optional"));
  await applied(printed);
  const api = await clusterOf(account);
  const missing = async () => (await missingAmong(api, rules.map(rightOf), 8)).map(textOfRight);
  const first = [
    "leases.coordination.k8s.io",
    "secrets",
    "list configmaps",
    "list deployments.apps",
  ];
  const isFirst = ({ verb, resource }: Rule) =>
    first.includes(resource) || first.includes(`${verb} ${resource}`);
  for (const rule of rules.filter(isFirst)) {
    await applied(JSON.stringify({ ...role, rules: rulesWithout(role.rules, rule) }));
    await expect.poll(missing).toEqual([textOfRight(rightOf(rule))]);
    const { code, stderr } = await qvsAs(demo, account)("reconcile", "--quiet");
    expect(code, stderr).toBe(1);
    expect(stderr).toMatch(new RegExp(`cannot ${rule.verb} resource "${rightOf(rule).resource}"`));
    expect(stderr.match(/ cannot | may not /g), stderr).toHaveLength(1);
    expect(stderr).not.toContain("qvs rbac deploy");
    expect(stderr).toContain("Nothing was changed.");
  }
});

/** The rules of a role without one right. */
function rulesWithout(rules: readonly PrintedRule["rule"][], rule: Rule) {
  const rest = rules.flatMap((each) => {
    if (!isOf(each, rule)) return [each];
    const { resource } = rightOf(rule);
    const others = each.resources.filter((other) => other !== resource);
    const verbs = each.verbs.filter((verb) => verb !== rule.verb);
    const same = { ...each, resources: [resource], verbs };
    return others.length === 0 ? [same] : [{ ...each, resources: others }, same];
  });
  return rest.filter(({ verbs }) => verbs.length > 0);
}

function isOf({ apiGroups, resources, resourceNames = [] }: PrintedRule["rule"], rule: Rule) {
  const { group, resource } = rightOf(rule);
  const sameNames = resourceNames.join() === rule.names.join();
  return apiGroups.includes(group) && resources.includes(resource) && sameNames;
}

function right(
  namespace: string | undefined,
  group: string,
  resource: string,
  verb: string,
  name?: string,
): Right {
  return { namespace, group, resource, verb, name };
}

function textOfRight(one: Right): string {
  return rightsProblems([one], "deploy", "demo")[0]?.what ?? "";
}

test.each([
  {
    resource: "deployments",
    verbs: ["get", "watch"],
    text: 'Cannot deploy "demo": this identity may not get, watch deployments.apps in namespace',
  },
  {
    resource: "configmaps",
    verbs: ["patch"],
    text: 'cannot patch resource "configmaps" in API group "" in the namespace',
  },
])(
  "a deployment that may not $verbs $resource changes nothing",
  async ({ resource, verbs, text }) => {
    const demo = await manifestsIn(cluster);
    const account = await newAccount(cluster);
    demo.declare({ app: small });
    expect((await demo.qvs("deploy", "--quiet")).code).toBe(0);
    demo.declare({
      app: small.replace("name: a}", "name: a}, data: {a: b}").replace("web:1", "web:2"),
    });
    const documents = parseAllDocuments(await roles(demo, account, "deploy")).map((d) => d.toJS());
    for (const { rules = [] } of documents) {
      for (const rule of rules) {
        if (!rule.resources.includes(resource)) continue;
        rule.verbs = rule.verbs.filter((verb: string) => !verbs.includes(verb));
      }
      const kept = rules.filter((rule: PrintedRule["rule"]) => rule.verbs.length > 0);
      rules.splice(0, rules.length, ...kept);
    }
    await applied(documents.map((document) => JSON.stringify(document)).join("\n---\n"));
    const api = await clusterOf(account);
    const list = [right(demo.namespace, "", "configmaps", "list")];
    await expect.poll(() => missingAmong(api, list, 1)).toEqual([]);
    const { code, stderr } = await qvsAs(demo, account)("deploy", "--quiet");
    expect(code).toBe(1);
    expect(stderr).toContain(text);
    expect(stderr).toContain("; `qvs rbac deploy -d demo` prints the roles");
    expect(stderr).toContain("Nothing was changed.");
    expect(stderr.match(/may not|cannot /g)).toHaveLength(1);
  },
);

const denial = "this identity makes previews only";

async function allWritesAreDenied({ namespace }: Manifests, account: TestAccount) {
  const api = await clusterOf(account);
  const own = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "mine", namespace } };
  const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" };
  const lock = { ...lease, metadata: { name: "qvs-demo", namespace }, spec: {} };
  const address = { apiVersion: "v1", kind: "ConfigMap", namespace, name: "settings-11111111" };
  const listed = await api.list("v1", "ConfigMap", namespace);
  const live = listed.ok
    ? listed.value.items.find(({ metadata }) => metadata.name === address.name)
    : undefined;
  const manager = { fieldManager: "mine", force: true, dryRun: false };
  const labelled = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: address.name, namespace, labels: { a: "b" } },
  };
  const writes = () => [
    api.create(own),
    api.create(lock),
    api.apply(labelled, manager),
    api.patch(address, [{ op: "add", path: "/data", value: {} }], manager),
    api.delete(address, uidOf(live ?? {})),
  ];
  const refusals = async () =>
    (await Promise.all(writes())).map((answer) =>
      answer.ok ? "it was done" : String(answer.failure.message.includes(denial)),
    );
  // The server takes a few seconds until a new policy holds; until then nothing but the own object could be written.
  await expect.poll(async () => (await api.create(own)).ok).toBe(false);
  expect(await refusals()).toEqual(["true", "true", "true", "true", "true"]);
}

test("under the policy of `qvs rbac preview` every preview works, and every write is denied", async () => {
  const demo = await manifestsIn(cluster);
  const place = demo.namespace;
  const account = await newAccount(cluster);
  const first = everything(place, "11111111", "", "data");
  demo.declare({ app: first });
  await applied(await roles(demo, account, "preview"));
  const rules = await rulesOf(demo, account, "preview");
  const preview = async () => {
    const { code, stdout, stderr } = await qvsAs(demo, account)(
      "diff",
      "--allow-delete=PersistentVolumeClaim",
    );
    expect(code, `${stdout} ${stderr}`).toBe(0);
    expect(stdout).not.toContain("missing-permission");
  };
  const api = await clusterOf(account);
  await expect.poll(() => missingAmong(api, rules.map(rightOf), 8)).toEqual([]);
  const before = (await account.requests()).length;
  await preview();
  expect((await demo.qvs("deploy", "--quiet", "--timeout", "10m")).code).toBe(0);
  demo.declare({
    app: everything(place, "22222222", "", "data"),
  });
  await preview();
  demo.declare({ app: "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings-44444444}}" });
  await preview();

  const sent = (await account.requests()).slice(before);
  expect(sent.filter(({ status }) => status === 403)).toEqual([]);
  const real = sent.filter(({ verb, isDryRun }) => !/get|list|watch/.test(verb) && !isDryRun);
  expect(real).toEqual([]);
  const unused = rules.filter((rule) => !rule.isGiven && !isUsed(rule, sent));
  // This cluster serves no Gateway API.
  expect(unused.map(textOf)).toEqual([`list httproutes.gateway.networking.k8s.io in ${place}`]);
  await allWritesAreDenied(demo, account);
});
