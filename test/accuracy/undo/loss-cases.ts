import { claim, config, crd, service, set, web } from "./manifests.ts";
import type { UndoCase } from "./undo-case.ts";

const templates = `
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}`;

const storing = (policy: string, replicas: number) =>
  set("1", `persistentVolumeClaimRetentionPolicy: {${policy}}${templates}`).replace(
    "replicas: 0",
    `replicas: ${replicas}`,
  );

const notAwaited = (yaml: string) =>
  yaml.replace(
    /metadata: \{name: (db|web)\}/,
    'metadata: {name: $1, annotations: {vs.axis-dev.io/wait: "false"}}',
  );

const ports = "selector: {app: web}, ports: [{port: 80}]";

const extra = `---
apiVersion: v1
kind: Namespace
metadata: {name: NAME-extra}
`;

const limit = (name: string, most: string) => `---
apiVersion: v1
kind: LimitRange
metadata: {name: ${name}}
spec: {limits: [{type: Container, max: {memory: ${most}}}]}
`;

const policy = (name: string) => `---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: ${name}}
spec:
  matchConstraints:
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NAME}}
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}
  validations: [{expression: "object.data.value != '1'"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: ${name}}
spec:
  policyName: ${name}
  validationActions: [Deny]
  matchResources: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NAME}}}
`;

const widget = `---
apiVersion: NAME.example.com/v1
kind: Widget
metadata: {name: one}
spec: {size: 1}
`;

const writer = `---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: writer}
rules:
- apiGroups: ["", coordination.k8s.io]
  resources: [configmaps, secrets, leases]
  verbs: ["*"]
- apiGroups: [""]
  resources: [services]
  verbs: [get, list, watch, create, patch]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: writer}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: writer}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: deployer}]
`;

/** Changes that lose something, or whose rollback meets an object that the change leaves. */
export const lossCases: readonly UndoCase[] = [
  {
    what: "a deleted StatefulSet that deletes its claims",
    before: config("one", "1") + storing("whenDeleted: Delete", 0),
    others: claim("data-db-0", "1Gi"),
    after: config("one", "1"),
    flags: ["--allow-delete=PersistentVolumeClaim"],
    expected: { possible: true, needs: ["allow-irreversible: true"], lost: ["db"] },
  },
  {
    what: "a StatefulSet that gets fewer Pods and deletes their claims",
    before: notAwaited(storing("whenScaled: Delete", 2)),
    after: notAwaited(storing("whenScaled: Delete", 1)),
    expected: { possible: true, lost: ["data-db-1"] },
  },
  {
    what: "a Service that gets another policy for IP families",
    before: service(ports),
    after: service(`${ports}, ipFamilyPolicy: PreferDualStack`),
    expected: { possible: true, lost: ["ipFamilyPolicy"] },
  },
  {
    what: "a Deployment that gets a ServiceAccount",
    before: web("1"),
    after: web("1").replace("containers:", "serviceAccountName: default\n      containers:"),
    expected: { possible: true, lost: ["keeps the ServiceAccount"] },
  },
  {
    what: "a Deployment that gets a new ServiceAccount",
    before: web("1"),
    after: `${web("1").replace("containers:", "serviceAccountName: NAME\n      containers:")}---
apiVersion: v1
kind: ServiceAccount
metadata: {name: NAME}
`,
    expected: { possible: true, lost: ["keeps the ServiceAccount"] },
  },
  {
    what: "a deleted Namespace with an object of another tool",
    before: config("one", "1") + extra,
    meanwhile: [["create", "configmap", "theirs", "-n", "NAME-extra"]],
    after: config("one", "1"),
    flags: ["--allow-delete=Namespace"],
    expected: {
      possible: true,
      needs: ["allow-outside-namespace: true"],
      lost: ["NAME-extra"],
    },
  },
  {
    what: "a new Namespace",
    before: config("one", "1"),
    after: config("one", "1") + extra,
    expected: {
      possible: true,
      needs: ["allow-delete: Namespace"],
      notes: ["NAME-extra is deleted with the data"],
    },
  },
  {
    what: "a deleted definition with an object of another tool",
    before: config("one", "1") + crd(["v1"], "v1"),
    others: widget,
    after: config("one", "1"),
    flags: ["--allow-delete=CustomResourceDefinition"],
    expected: {
      possible: true,
      needs: ["allow-outside-namespace: true"],
      lost: ["widgets"],
    },
  },
  {
    what: "an object that existed before and that the change adopts",
    existing: config("theirs", "before"),
    before: config("one", "1"),
    after: config("one", "1") + config("theirs", "after"),
    flags: ["--takeover=kubectl"],
    expected: { possible: true, lost: ["theirs"] },
  },
  {
    what: "a field of another tool that the change takes",
    before: config("one", "1"),
    meanwhile: [["patch", "configmap", "one", "--type=merge", "-p", '{"data":{"theirs":"1"}}']],
    after: config("one", "1").replace("data: {value", 'data: {theirs: "2", value'),
    flags: ["--takeover=kubectl-patch"],
    expected: { possible: true, lost: ["one"] },
  },
  {
    what: "a number of Pods that another tool keeps",
    before: web("1").replace("replicas: 1", ""),
    meanwhile: [["scale", "deployment", "web", "--replicas=0"]],
    after: web("2").replace("replicas: 1", ""),
    expected: { possible: true },
  },
  {
    what: "a new LimitRange that applies to the Pods of the current release",
    before: web("1"),
    after: web("2") + limit("most", "1Gi"),
    expected: { possible: undefined, reasons: ["LimitRange"] },
  },
  {
    what: "a new LimitRange that judges no restored object",
    before: config("one", "1"),
    after: config("one", "2") + limit("most", "1Gi"),
    expected: { possible: true },
  },
  {
    what: "a new policy that denies the current release",
    before: config("one", "1"),
    after: config("one", "2") + policy("deny-NAME"),
    expected: { possible: false, reasons: ["would be rejected by ValidatingAdmissionPolicy"] },
  },
  {
    what: "a deleted Service with a node port that the cluster chose",
    before: config("one", "1") + service(`type: NodePort, ${ports}`),
    after: config("one", "1"),
    expected: { possible: true, lost: ["web"], notes: ["web"] },
  },
  {
    what: "a Service that gives back its node port",
    before: service(`type: NodePort, ${ports}`),
    after: service(ports),
    expected: { possible: true, lost: ["web"] },
  },
  {
    what: "a new Service that the user isn't allowed to delete",
    user: "deployer",
    previewsItself: true,
    existing: writer,
    before: config("one", "1"),
    after: config("one", "1") + service(ports),
    expected: { possible: false, reasons: ["isn't allowed to delete services"] },
  },
  {
    what: "a deleted Service with a load balancer",
    before: config("one", "1") + notAwaited(service(`type: LoadBalancer, ${ports}`)),
    meanwhile: [
      [
        ...["patch", "service", "web", "--subresource=status", "--type=merge", "-p"],
        '{"status":{"loadBalancer":{"ingress":[{"ip":"203.0.113.7"}]}}}',
      ],
    ],
    after: config("one", "1"),
    expected: { possible: true, lost: ["load balancer", "node port"], notes: ["web"] },
  },
];
