import {
  binding,
  claim,
  config,
  crd,
  job,
  keptClaim,
  replaceable,
  role,
  secret,
  service,
  set,
  web,
} from "./manifests.ts";
import type { UndoCase } from "./undo-case.ts";

const growingClass = `---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: NAME-grows}
provisioner: kubernetes.io/no-provisioner
allowVolumeExpansion: true
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: NAME-disk}
spec:
  capacity: {storage: 5Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: NAME-grows
  hostPath: {path: /data}
`;

const growing = (size: string) =>
  claim("data", size).replace("spec:", "spec:\n  storageClassName: NAME-grows");

const immutable = "immutable: true";
const possible = { possible: true };
const allowClaims = ["--allow-delete=PersistentVolumeClaim"];

export const changeCases: readonly UndoCase[] = [
  {
    what: "another value of a ConfigMap",
    before: config("one", "1"),
    after: config("one", "2"),
    expected: possible,
  },
  {
    what: "another image",
    before: web("1"),
    after: web("2"),
    expected: possible,
  },
  {
    what: "a new ConfigMap and a new Service",
    before: web("1"),
    after: web("1") + config("new", "1") + service("selector: {app: web}, ports: [{port: 80}]"),
    expected: possible,
  },
  {
    what: "a deleted Service and Deployment",
    before: config("one", "1") + web("1") + service("selector: {app: web}, ports: [{port: 80}]"),
    after: config("one", "1"),
    expected: { ...possible, notes: ["gets another cluster IP"] },
  },
  {
    what: "another type of a Service",
    before: service("selector: {app: web}, ports: [{port: 80}]"),
    after: service("type: NodePort, selector: {app: web}, ports: [{port: 80}]"),
    expected: possible,
  },
  {
    what: "a Service that becomes a load balancer with a traffic policy",
    before: service("type: ClusterIP, selector: {app: web}, ports: [{port: 80}]"),
    after: service(
      "type: LoadBalancer, externalTrafficPolicy: Local, selector: {app: web}, ports: [{port: 80}]",
    ),
    expected: possible,
  },
  {
    what: "a finished Job that gets a policy for failures",
    before: job("migrate", "1"),
    after: job("migrate", "1").replace(
      "backoffLimit: 0",
      "backoffLimit: 0\n  podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [3]}}]}",
    ),
    expected: possible,
  },
  {
    what: "more replicas and another strategy",
    before: web("1"),
    after: web("1", "strategy: {type: Recreate}"),
    expected: possible,
  },
  {
    what: "a ConfigMap that becomes immutable with the same data",
    before: config("one", "1"),
    after: config("one", "1", immutable),
    expected: { ...possible, notes: ["immutable keeps its live value"] },
  },
  {
    what: "a ConfigMap that becomes immutable with other data",
    before: config("one", "1"),
    after: config("one", "2", immutable),
    expected: { possible: false, reasons: ["ConfigMap", "one"] },
  },
  {
    what: "a Secret that becomes immutable with other data",
    before: secret("one", "1"),
    after: secret("one", "2", immutable),
    expected: { possible: false, reasons: ["Secret"] },
  },
  {
    what: "another value of a Secret",
    before: secret("one", "first"),
    after: secret("one", "second"),
    expected: possible,
  },
  {
    what: "another value next to an unchanged claim",
    before: claim("data", "1Gi") + config("one", "1"),
    after: claim("data", "1Gi") + config("one", "2"),
    expected: possible,
  },
  {
    what: "a larger claim",
    existing: growingClass,
    before: growing("1Gi"),
    after: growing("2Gi"),
    expected: { ...possible, notes: ["storage keeps its live value"] },
  },
  {
    what: "a new claim",
    before: config("one", "1"),
    after: config("one", "1") + claim("data", "1Gi"),
    expected: {
      ...possible,
      needs: ["allow-delete: PersistentVolumeClaim"],
      notes: ["data is deleted with the data that it contains"],
    },
  },
  {
    what: "a deleted claim",
    before: config("one", "1") + claim("data", "1Gi"),
    after: config("one", "1"),
    flags: allowClaims,
    expected: { ...possible, needs: ["allow-irreversible: true"], lost: ["data"] },
  },
  {
    what: "a claim that is no longer declared but kept",
    before: config("one", "1") + keptClaim,
    after: config("one", "2"),
    expected: possible,
  },
  {
    what: "a migration",
    before: config("one", "1"),
    after: config("one", "2") + job("migrate", "1", 'vs.axis-dev.io/migration: "adds totals"'),
    expected: {
      ...possible,
      needs: ["allow-irreversible: true"],
      notes: ["migrate"],
    },
  },
  {
    what: "a Job that isn't a migration",
    before: config("one", "1"),
    after: config("one", "2") + job("work", "1"),
    expected: possible,
  },
  {
    what: "another Job of the same name",
    before: config("one", "1") + job("work", "1"),
    after: config("one", "1") + job("work", "2"),
    expected: { ...possible, notes: ["work"] },
  },
  {
    what: "a deleted Secret with a value of another tool",
    before: config("one", "1") + secret("generated", "1"),
    meanwhile: [
      [
        "patch",
        "secret",
        "generated",
        "--type=merge",
        "-p",
        '{"stringData":{"token":"by a tool"}}',
      ],
    ],
    after: config("one", "1"),
    expected: { ...possible, lost: ["generated"] },
  },
  {
    what: "another role of a binding, replaced",
    before: role("reader", "get") + role("writer", "update") + binding("reader", replaceable),
    after: role("reader", "get") + role("writer", "update") + binding("writer", replaceable),
    expected: possible,
  },
  {
    what: "another role of a binding, whose old manifest doesn't allow a replacement",
    before: role("reader", "get") + role("writer", "update") + binding("reader"),
    after: role("reader", "get") + role("writer", "update") + binding("writer", replaceable),
    expected: { possible: false, reasons: ["RoleBinding"] },
  },
  {
    what: "another selector of a Deployment, whose old manifest doesn't allow a replacement",
    before: web("1"),
    after: web("1")
      .replaceAll("app: web", "app: web2")
      .replace("{name: web}", '{name: web, annotations: {vs.axis-dev.io/replace: "true"}}'),
    expected: { possible: false, reasons: ["Deployment"] },
  },
  {
    what: "another image of a StatefulSet",
    before: set("1"),
    after: set("2"),
    expected: possible,
  },
  {
    what: "a new StatefulSet that deletes its claims",
    before: config("one", "1"),
    after:
      config("one", "1") + set("1", "persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}"),
    expected: possible,
  },
  {
    what: "a new definition",
    before: config("one", "1"),
    after: config("one", "1") + crd(["v1"], "v1"),
    expected: {
      ...possible,
      needs: ["allow-delete: CustomResourceDefinition"],
      notes: ["widgets"],
    },
  },
  {
    what: "a new version of a definition that isn't stored",
    before: crd(["v1"], "v1"),
    after: crd(["v1", "v2"], "v1"),
    expected: { ...possible, needs: ["allow-outside-namespace: true"] },
  },
  {
    what: "a new stored version of a definition",
    before: crd(["v1"], "v1"),
    after: crd(["v1", "v2"], "v2"),
    expected: { possible: false, reasons: ["CustomResourceDefinition"] },
  },
  {
    what: "a key that another tool adds and keeps",
    before: config("one", "1"),
    meanwhile: [["patch", "configmap", "one", "--type=merge", "-p", '{"data":{"theirs":"1"}}']],
    after: config("one", "2"),
    expected: possible,
  },
];
