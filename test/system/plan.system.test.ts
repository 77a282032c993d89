import { afterAll, beforeAll, expect, test } from "vitest";
import { type OpenCluster, openCluster } from "../../src/io/kubernetes/cluster.ts";
import { connect } from "../../src/io/kubernetes/kubeconfig/connect.ts";
import { fieldManager, type Plan } from "../../src/model/plan/plan.ts";
import type { Result } from "../../src/model/problems/problem.ts";
import { finalInventory } from "../../src/releases/inventory.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";
import { problemText, text } from "../support/plan/declare.ts";
import { got, planAgainst } from "../support/plan/observe.ts";
import { planText } from "../support/plan/plan-text.ts";

const control = useCluster();
let cluster: OpenCluster;

beforeAll(async () => {
  cluster = openCluster(await connect({ kubeconfig: { path: control.kubeconfig }, env: {} }));
});
afterAll(() => cluster.close());

/** Sends the writes of a plan, without waiting for readiness. */
async function send(result: Result<Plan>): Promise<Plan> {
  if (!result.ok) throw new Error(problemText(result.problems));
  for (const { desired, stage, action } of result.value.changes) {
    const manager = fieldManager(result.value.deployment, stage);
    if (action === "unchanged") continue;
    got(await cluster.apply(desired, { fieldManager: manager, dryRun: false, force: false }));
  }
  return result.value;
}

const everything = `
app/config: {apiVersion: v1, kind: ConfigMap, metadata: {name: config, labels: {a.b/c: d}}, data: {x: "1", y: text}}
app/secret: {apiVersion: v1, kind: Secret, metadata: {name: secret}, stringData: {password: hunter2}}
app/account: {apiVersion: v1, kind: ServiceAccount, metadata: {name: runner}}
app/role:
  apiVersion: rbac.authorization.k8s.io/v1
  kind: Role
  metadata: {name: reader}
  rules: [{apiGroups: [""], resources: [pods], verbs: [get, list]}]
app/binding:
  apiVersion: rbac.authorization.k8s.io/v1
  kind: RoleBinding
  metadata: {name: reader}
  roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
  subjects: [{kind: ServiceAccount, name: runner}]
app/service:
  apiVersion: v1
  kind: Service
  metadata: {name: web}
  spec: {selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080}, {name: dns, port: 53, protocol: UDP}]}
app/web:
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec:
    replicas: 2
    selector: {matchLabels: {app: web}}
    strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
    template:
      metadata: {labels: {app: web}, annotations: {checksum: "123"}}
      spec:
        serviceAccountName: runner
        securityContext: {}
        initContainers: [{name: init, image: "busybox:1", command: [sh, -c, "true"]}]
        containers:
          - name: web
            image: "web:1"
            args: [--verbose]
            ports: [{containerPort: 8080, name: http}]
            env: [{name: A, value: "1"}, {name: B, valueFrom: {secretKeyRef: {name: secret, key: password}}}, {name: C, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
            envFrom: [{configMapRef: {name: config}}]
            readinessProbe: {httpGet: {path: /, port: 8080}, periodSeconds: 5}
            resources: {requests: {cpu: 100m, memory: 64Mi}, limits: {memory: 128Mi}}
            volumeMounts: [{name: tmp, mountPath: /tmp}, {name: config, mountPath: /config}]
          - {name: sidecar, image: "sidecar:1"}
        volumes: [{name: tmp, emptyDir: {}}, {name: config, configMap: {name: config}}]
        tolerations: [{key: a, operator: Exists, effect: NoSchedule}]
app/cron:
  apiVersion: batch/v1
  kind: CronJob
  metadata: {name: nightly}
  spec:
    schedule: "0 3 * * *"
    jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: "a:1", env: [{name: X, value: y}]}]}}}}
app/ingress:
  apiVersion: networking.k8s.io/v1
  kind: Ingress
  metadata: {name: web}
  spec: {rules: [{host: shop.example, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}}]}
app/scaler:
  apiVersion: autoscaling/v2
  kind: HorizontalPodAutoscaler
  metadata: {name: web}
  spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, maxReplicas: 3, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]}
app/budget: {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web}, spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}}
app/policy: {apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: web}, spec: {podSelector: {}, policyTypes: [Ingress], ingress: [{ports: [{port: 80, protocol: TCP}]}]}}
app/claim: {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}
app/stateful:
  apiVersion: apps/v1
  kind: StatefulSet
  metadata: {name: db}
  spec:
    serviceName: db
    selector: {matchLabels: {app: db}}
    template: {metadata: {labels: {app: db}}, spec: {containers: [{name: db, image: "db:1", ports: [{containerPort: 5432}]}]}}
    volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]
app/external: {apiVersion: external-secrets.io/v1beta1, kind: ExternalSecret, metadata: {name: ext}, spec: {refreshInterval: "0", secretStoreRef: {name: store, kind: ClusterSecretStore}, target: {name: token, creationPolicy: Owner}, data: [{secretKey: A, remoteRef: {key: k}}]}}
`;

test("a second plan of the same manifests has no changes, nearly all without dry-runs", async () => {
  const namespace = await control.namespace("plan");
  const place = { deployment: "shop", namespace };
  const plan = await send((await planAgainst(cluster, place, everything)).plan);
  expect(plan.changes.map(({ action }) => action)).toEqual(plan.changes.map(() => "create"));
  const second = await planAgainst(cluster, place, everything);
  const actions = second.plan.ok ? second.plan.value.changes.map(({ action }) => action) : [];
  expect(actions).toEqual(plan.changes.map(() => "unchanged"));
  // An atomic object with a default inside (fieldRef), and a list of whole objects with defaults
  // (claim templates).
  expect(second.dryRuns).toEqual([
    `apps:Deployment::${namespace}/web`,
    `apps:StatefulSet::${namespace}/db`,
  ]);
});

const simple = (data: string) =>
  `app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: ${data}}}\n`;

test("a field of another manager is a conflict that names the manager", async () => {
  const namespace = await control.namespace("plan");
  const place = { deployment: "shop", namespace };
  await send((await planAgainst(cluster, place, simple("ours"))).plan);
  await control.kubectl(
    "patch",
    "configmap/a",
    "-n",
    namespace,
    "-p",
    '{"data":{"x":"theirs"}}',
    "--field-manager=kubectl-edit",
  );
  const { plan } = await planAgainst(cluster, place, simple("new"));
  expect(
    planText(plan)
      .replace(/since [^)]*/, "since TIME")
      .replaceAll(namespace, "NS"),
  ).toBe(
    text(`
    ConfigMap NS/a: data.x is owned by another field manager
      owner: "kubectl-edit" (Update, since TIME)
      cluster: "theirs"
      manifest: "new"
      → Keep the live value: add the annotation vs.axis-dev.io/ignore-changes: 'data.x'
        or remove data.x from the manifest
        or overwrite it with --takeover=kubectl-edit, which takes all fields of kubectl-edit in the declared objects and removes undeclared ones
    `),
  );
});

test("immutable fields, a missing namespace and an unknown field are reported", async () => {
  const namespace = await control.namespace("plan");
  const place = { deployment: "shop", namespace };
  const web = everything.slice(everything.indexOf("app/web:"), everything.indexOf("app/cron:"));
  await send((await planAgainst(cluster, place, web)).plan);
  const declared = `${web.replaceAll("app: web", "app: other")}
app/far: {apiVersion: v1, kind: ConfigMap, metadata: {name: far, namespace: nowhere}}
app/odd: {apiVersion: v1, kind: ConfigMap, metadata: {name: odd}, datta: {x: y}}
`;
  const { plan } = await planAgainst(cluster, place, declared);
  expect(planText(plan).replaceAll(namespace, "NS")).toBe(
    text(`
    Deployment NS/web: spec.selector can't be changed
      answer: Invalid value: {"matchLabels":{"app":"other"}}: field is immutable
      → Give the object another name
        or add the annotation vs.axis-dev.io/replace: "true" if it can be absent for a moment
    ConfigMap nowhere/far: the namespace doesn't exist
      answer: namespaces "nowhere" not found
      → Create the namespace nowhere, or declare it in appSetup
    ConfigMap NS/odd: the API server rejects the object
      answer: datta: field not declared in schema
      → Correct the manifest in the adapter, or the parameters of the adapter
    `),
  );
});

test("the API server's message about a Secret is reported without its values", async () => {
  const namespace = await control.namespace("plan");
  const secret = (fields: string) =>
    `{apiVersion: v1, kind: Secret, metadata: {name: NAME}, ${fields}}`;
  const declared = [
    secret("data: {pin: 987654}"),
    secret("data: {db: {password: hunter2}}"),
    secret("data: {a: hunter2-is-no-base64}"),
    secret("dataa: {a: hunter2}"),
    secret("type: kubernetes.io/dockerconfigjson, stringData: {.dockerconfigjson: hunter2}"),
  ].map((object, index) => `app/s${index}: ${object.replace("NAME", `s${index}`)}`);
  const place = { deployment: "shop", namespace };
  const { plan } = await planAgainst(cluster, place, declared.join("\n"));
  const told = planText(plan).replaceAll(namespace, "NS");
  expect(told.split("\n").filter((line) => /^(?:Secret| {2}answer)/.test(line))).toEqual([
    "Secret NS/s0: the API server rejects the object",
    "  answer: a value has the wrong type (data.pin)",
    "Secret NS/s1: the API server rejects the object",
    "  answer: a value has the wrong type (data.db)",
    "Secret NS/s2: the API server rejects the object",
    "  answer: a value isn't Base64",
    "Secret NS/s3: the API server rejects the object",
    "  answer: dataa: field not declared in schema",
    'Secret NS/s4: the API server rejects data[".dockerconfigjson"]',
    "  answer: the value is invalid",
  ]);
  expect(told).not.toMatch(/987654|hunter2/);
});

test("undeclared objects are deleted, unless their live annotation keeps them", async () => {
  const namespace = await control.namespace("plan");
  const place = { deployment: "shop", namespace };
  const before = `${simple("x")}app/b: {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}
app/c: {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}`;
  const first = await send((await planAgainst(cluster, place, before)).plan);
  await control.kubectl(
    "annotate",
    "configmap/b",
    "-n",
    namespace,
    "vs.axis-dev.io/keepOnDelete=mine",
  );
  await control.kubectl(
    "label",
    "configmap/c",
    "-n",
    namespace,
    "vs.axis-dev.io/deployment=bakery",
    "--overwrite",
  );
  const { plan } = await planAgainst(cluster, place, "", finalInventory([], first, []));
  expect(planText(plan).replaceAll(namespace, "NS")).toBe(
    text(`
    delete ConfigMap NS/a (app)
    keep ConfigMap NS/b (keepOnDelete: key mine, revision 0)
    keep ConfigMap NS/c (not ours: its label vs.axis-dev.io/deployment names the deployment bakery)
    notice: ConfigMap NS/c is no longer declared but stays
    `),
  );
});

test("ignored fields stay as other managers set them, and the rest follows the manifest", async () => {
  const namespace = await control.namespace("plan");
  const place = { deployment: "shop", namespace };
  const web = (image: string, level: string) => `
app/web:
  apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web
    annotations: {vs.axis-dev.io/ignore-changes: "spec.replicas,spec.template.spec.containers[0].image"}
  spec:
    replicas: 1
    selector: {matchLabels: {app: web}}
    template:
      metadata: {labels: {app: web}}
      spec: {containers: [{name: web, image: "${image}", args: ["${level}"]}, {name: side, image: "${image}"}]}
`;
  await send((await planAgainst(cluster, place, web("web:1", "low"))).plan);
  await control.kubectl("scale", "deployment/web", "-n", namespace, "--replicas=2");
  const scaled = await planAgainst(cluster, place, web("web:1", "low"));
  expect(planText(scaled.plan)).toContain("unchanged Deployment");
  await control.kubectl("set", "image", "deployment/web", "-n", namespace, "web=web:hotfix");
  await send((await planAgainst(cluster, place, web("web:2", "high"))).plan);
  const path =
    "{.spec.replicas} {.spec.template.spec.containers[*].image} {.spec.template.spec.containers[0].args}";
  const live = await control.kubectl(
    "get",
    "deployment/web",
    "-n",
    namespace,
    "-o",
    `jsonpath=${path}`,
  );
  expect(live).toBe('2 web:hotfix web:2 ["high"]');
  const again = await planAgainst(cluster, place, web("web:2", "high"));
  expect(planText(again.plan)).toContain("unchanged Deployment");
  expect(again.dryRuns).toEqual([]);
});
