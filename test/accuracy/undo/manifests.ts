/** Manifests of the cases; `NAME` is unique for each case. */
export const config = (name: string, data: string, more = "") => `---
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}}
data: {value: "${data}"}
${more}
`;

export const web = (image: string, more = "") => `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  ${more}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: web, image: "acme/web:${image}"}]
`;

export const service = (spec: string) => `---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {${spec}}
`;

export const claim = (name: string, size: string, more = "") => `---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: ${name}${more}}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: ${size}}}
`;

export const keptClaim = claim("data", "1Gi", ", annotations: {vs.axis-dev.io/keepOnDelete: data}");

export const secret = (name: string, value: string, more = "") => `---
apiVersion: v1
kind: Secret
metadata: {name: ${name}}
stringData: {password: "${value}"}
${more}
`;

export const job = (name: string, image: string, annotations = "") => `---
apiVersion: batch/v1
kind: Job
metadata: {name: ${name}, annotations: {${annotations}}}
spec:
  backoffLimit: 0
  template:
    spec: {restartPolicy: Never, containers: [{name: work, image: "acme/work:${image}"}]}
`;

export const role = (name: string, verb: string) => `---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: ${name}}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [${verb}]}]
`;

export const binding = (roleName: string, more = "") => `---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: web${more}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: ${roleName}}
subjects: [{kind: ServiceAccount, name: default}]
`;

export const replaceable = ', annotations: {vs.axis-dev.io/replace: "true"}';

export const set = (more: string, policy = "") => `---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 0
  ${policy}
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: db, image: "acme/db:${more}"}]
`;

export const crd = (versions: readonly string[], storage: string) => `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.NAME.example.com}
spec:
  group: NAME.example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget}
  versions:
${versions
  .map(
    (version) => `  - name: ${version}
    served: true
    storage: ${version === storage}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}`,
  )
  .join("\n")}
`;
