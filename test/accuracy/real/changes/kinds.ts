import { insert, moveUp, remove, set } from "../edits.ts";
import type { Batch } from "../play-batch.ts";

const web = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 2, maxUnavailable: 0}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 30
      dnsPolicy: ClusterFirst
      imagePullSecrets: [{name: one}, {name: two}]
      topologySpreadConstraints:
        - {topologyKey: kubernetes.io/hostname, maxSkew: 1, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: web}}}
      tolerations: [{key: a, operator: Exists}, {key: b, operator: Exists}]
      volumes: [{name: data, emptyDir: {}}, {name: more, emptyDir: {}}]
      containers:
        - name: web
          image: web:1
          imagePullPolicy: IfNotPresent
          ports: [{containerPort: 53, protocol: TCP}, {containerPort: 53, protocol: UDP}]
          env:
            - {name: PLAIN, value: "1"}
            - {name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
            - {name: LAST, value: "é ü 漢"}
          resources: {requests: {cpu: 1000m, memory: 1024Mi}}
          readinessProbe: {httpGet: {path: /, port: 53}}
          volumeMounts: [{name: data, mountPath: /data}, {name: more, mountPath: /more}]
`;
const container = "spec.template.spec.containers.0";
const template = "spec.template.spec";

const services = `
apiVersion: v1
kind: Service
metadata: {name: dns}
spec:
  selector: {app: web}
  ports: [{name: tcp, port: 53, protocol: TCP}, {name: udp, port: 53, protocol: UDP}]
---
apiVersion: v1
kind: Service
metadata: {name: sticky}
spec:
  selector: {app: web}
  sessionAffinity: ClientIP
  sessionAffinityConfig: {clientIP: {timeoutSeconds: 60}}
  ports: [{port: 80}]
---
apiVersion: v1
kind: Service
metadata: {name: outside}
spec: {type: NodePort, selector: {app: web}, ports: [{port: 80, nodePort: 31999}]}
---
apiVersion: v1
kind: Service
metadata: {name: alias}
spec: {type: ExternalName, externalName: example.com}
---
apiVersion: v1
kind: Service
metadata: {name: plain}
spec: {selector: {app: web}, ports: [{port: 80}]}
`;

const policies = `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: nobody}
  minReplicas: 1
  maxReplicas: 3
  metrics:
    - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}
    - {type: Resource, resource: {name: memory, target: {type: AverageValue, averageValue: 512Mi}}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: second}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: none}
  maxReplicas: 3
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: web}
spec:
  podSelector: {matchLabels: {app: web}}
  ingress:
    - from: [{podSelector: {matchLabels: {app: a}}}, {ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}}]
      ports: [{port: 80}, {port: 80, protocol: UDP}]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec:
  defaultBackend: {service: {name: plain, port: {number: 80}}}
  rules:
    - host: a.example.com
      http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: plain, port: {number: 80}}}}]}
    - host: b.example.com
      http: {paths: [{path: /, pathType: Exact, backend: {service: {name: plain, port: {name: http}}}}]}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: "0 3 * * *"
  timeZone: Etc/UTC
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: job, image: job:1}]}}}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: usual}
spec: {limits: [{type: Container, default: {cpu: 500m}, defaultRequest: {cpu: 100m}}]}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: usual}
spec: {hard: {pods: "100", requests.cpu: "50"}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: readers}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: User, name: ann}, {kind: ServiceAccount, name: default}]
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: edge}
spec: {controller: example.com/edge}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: fast}
value: 1000
description: fast
`;

const data = `
apiVersion: v1
kind: Secret
metadata: {name: token}
type: Opaque
data: {a: YQ==, b: Yg==}
---
apiVersion: v1
kind: Secret
metadata: {name: fixed}
immutable: true
data: {a: YQ==}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, annotations: {note: one}}
data: {a: "1", b: "true"}
binaryData: {c: AAEC}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: fixed}
immutable: true
data: {a: "1"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: open}
data: {a: "1"}
`;

const workloads = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 1
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: db:1}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: cache}
spec:
  replicas: 1
  serviceName: cache
  selector: {matchLabels: {app: cache}}
  template:
    metadata: {labels: {app: cache}}
    spec: {containers: [{name: cache, image: cache:1}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: import}
spec:
  suspend: true
  template: {spec: {restartPolicy: Never, containers: [{name: job, image: job:1}]}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: export}
spec:
  suspend: true
  template: {spec: {restartPolicy: Never, containers: [{name: job, image: job:1}]}}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: legacy, labels: {kubernetes.io/service-name: legacy}}
addressType: IPv4
endpoints: [{addresses: [10.9.8.7]}]
ports: [{name: http, port: 80}]
---
apiVersion: v1
kind: PodTemplate
metadata: {name: shape}
template: {metadata: {labels: {app: x}}, spec: {containers: [{name: x, image: x:1}]}}
`;

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shops.kinds.example.com}
spec:
  group: kinds.example.com
  scope: Namespaced
  names: {kind: Shop, plural: shops, singular: shop, listKind: ShopList}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                size: {type: integer, default: 3, minimum: 1}
                tier: {type: string, enum: [small, large]}
                region: {type: string, x-kubernetes-validations: [{rule: self == oldSelf, message: region is fixed}]}
                ports:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [port, protocol]
                  items:
                    type: object
                    required: [port, protocol]
                    properties: {port: {type: integer}, protocol: {type: string}, note: {type: string, nullable: true}}
                tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
                free: {type: object, x-kubernetes-preserve-unknown-fields: true}
`;

function shop(name: string): string {
  return `---
apiVersion: kinds.example.com/v1
kind: Shop
metadata: {name: ${name}}
spec:
  tier: small
  region: north
  ports: [{port: 53, protocol: TCP, note: one}, {port: 53, protocol: UDP}]
  tags: [a, b, c]
  free: {any: {thing: [1, 2]}}
`;
}

/**
 * Kinds and fields that are rare in examples: lists with several keys, explicit and omitted
 * defaults, and immutable fields.
 */
export const kinds: readonly Batch[] = [
  {
    what: "fields of a Pod template",
    from: [],
    given: web,
    changes: [
      [
        "a variable from elsewhere that was a text",
        remove("Deployment/web", `${container}.env.0.value`),
        set("Deployment/web", `${container}.env.0.valueFrom`, {
          fieldRef: { fieldPath: "metadata.name" },
        }),
      ],
      [
        "a text that was from elsewhere",
        remove("Deployment/web", `${container}.env.1.valueFrom`),
        set("Deployment/web", `${container}.env.1.value`, "here"),
      ],
      ["the last of the variables first", moveUp("Deployment/web", `${container}.env.2`)],
      ["one of two ports with the same number", remove("Deployment/web", `${container}.ports.0`)],
      [
        "requests in other words",
        set("Deployment/web", `${container}.resources.requests`, { cpu: 1, memory: "1Gi" }),
      ],
      ["a default omitted", remove("Deployment/web", `${container}.imagePullPolicy`)],
      ["another default omitted", remove("Deployment/web", `${template}.dnsPolicy`)],
      ["an explicit default", set("Deployment/web", `${template}.restartPolicy`, "Always")],
      [
        "another value instead of a default",
        remove("Deployment/web", `${template}.terminationGracePeriodSeconds`),
      ],
      ["nothing", set("Deployment/web", `${template}.nodeSelector`, null)],
      [
        "a probe of another kind",
        set("Deployment/web", `${container}.readinessProbe`, { tcpSocket: { port: 53 } }),
      ],
      [
        "a volume of another kind",
        set("Deployment/web", `${template}.volumes.0`, {
          name: "data",
          configMap: { name: "data", optional: true },
        }),
      ],
      ["one mount fewer", remove("Deployment/web", `${container}.volumeMounts.1`)],
      [
        "a rule of the same key",
        insert("Deployment/web", `${template}.topologySpreadConstraints.0`, {
          ...{
            topologyKey: "kubernetes.io/hostname",
            maxSkew: 5,
            whenUnsatisfiable: "DoNotSchedule",
          },
          labelSelector: { matchLabels: { app: "other" } },
        }),
      ],
      ["one toleration fewer", remove("Deployment/web", `${template}.tolerations.0`)],
      ["one credential fewer", remove("Deployment/web", `${template}.imagePullSecrets.0`)],
      ["the strategy Recreate", set("Deployment/web", "spec.strategy", { type: "Recreate" })],
    ],
  },
  {
    what: "kinds of Services",
    from: [],
    given: services,
    changes: [
      ["one of two ports with the same number", remove("Service/dns", "spec.ports.0")],
      [
        "no longer sticky",
        remove("Service/sticky", "spec.sessionAffinity"),
        remove("Service/sticky", "spec.sessionAffinityConfig"),
      ],
      [
        "within the cluster only",
        set("Service/outside", "spec", { selector: { app: "web" }, ports: [{ port: 80 }] }),
      ],
      [
        "no alias any more",
        set("Service/alias", "spec", { selector: { app: "web" }, ports: [{ port: 80 }] }),
      ],
      [
        "an alias",
        set("Service/plain", "spec", { type: "ExternalName", externalName: "example.org" }),
      ],
    ],
  },
  {
    what: "rejected changes of Services",
    from: [],
    given: services.replaceAll("31999", "31998"),
    changes: [
      ["headless from now on", set("Service/plain", "spec.clusterIP", "None")],
      ["a timeout without session affinity", set("Service/sticky", "spec.sessionAffinity", "None")],
      ["an alias that isn't a valid name", set("Service/alias", "spec.externalName", "Not A Name")],
    ],
  },
  {
    what: "policies and limits",
    from: [],
    given: policies,
    changes: [
      ["metrics in another order", moveUp("HorizontalPodAutoscaler/web", "spec.metrics.1")],
      [
        "an older version of its API",
        set("HorizontalPodAutoscaler/second", "apiVersion", "autoscaling/v1"),
        set("HorizontalPodAutoscaler/second", "spec", {
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "none" },
          maxReplicas: 4,
          targetCPUUtilizationPercentage: 70,
        }),
      ],
      ["one port fewer", remove("NetworkPolicy/web", "spec.ingress.0.ports.0")],
      ["one exception fewer", remove("NetworkPolicy/web", "spec.ingress.0.from.1.ipBlock.except")],
      ["hosts in another order", moveUp("Ingress/web", "spec.rules.1")],
      ["no other backend", remove("Ingress/web", "spec.defaultBackend")],
      ["another time zone", set("CronJob/nightly", "spec.timeZone", "Europe/Berlin")],
      ["a suspended CronJob", set("CronJob/nightly", "spec.suspend", true)],
      ["no time zone", remove("CronJob/nightly", "spec.timeZone")],
      [
        "other limits",
        set("LimitRange/usual", "spec.limits.0", { type: "Container", max: { cpu: "4" } }),
      ],
      [
        "another quota",
        set("ResourceQuota/usual", "spec.hard", { pods: 50, "limits.memory": "1024Mi" }),
      ],
      ["subjects in another order", moveUp("RoleBinding/readers", "subjects.1")],
      [
        "the class of all",
        set("IngressClass/edge", "metadata.annotations", {
          "ingressclass.kubernetes.io/is-default-class": "false",
        }),
      ],
      ["another description", set("PriorityClass/fast", "description", "faster — 速い")],
    ],
  },
  {
    what: "rejected changes of policies and limits",
    from: [],
    given: policies,
    changes: [
      ["a maximum below the minimum", set("HorizontalPodAutoscaler/web", "spec.minReplicas", 9)],
      [
        "a network that is none",
        set("NetworkPolicy/web", "spec.ingress.0.from.1.ipBlock.cidr", "10.0.0.0/99"),
      ],
      ["a host in capitals", set("Ingress/web", "spec.rules.0.host", "A.example.com")],
      ["an unknown time zone", set("CronJob/nightly", "spec.timeZone", "Mars/Olympus")],
      [
        "a default above the maximum",
        set("LimitRange/usual", "spec.limits.0.max", { cpu: "200m" }),
      ],
      ["another controller", set("IngressClass/edge", "spec.controller", "example.com/other")],
      ["another value", set("PriorityClass/fast", "value", 2000)],
      ["a negative number", set("ResourceQuota/usual", "spec.hard.pods", "-1")],
    ],
  },
  {
    what: "data and metadata",
    from: [],
    given: data,
    changes: [
      ["one key of a Secret fewer", remove("Secret/token", "data.b")],
      ["a secret as text", set("Secret/token", "stringData", { c: "c" })],
      [
        "a binary that becomes text",
        remove("ConfigMap/settings", "binaryData"),
        set("ConfigMap/settings", "data.c", "text"),
      ],
      ["one annotation fewer", remove("ConfigMap/settings", "metadata.annotations.note")],
      ["a long note", set("ConfigMap/settings", "metadata.annotations.long", "ü".repeat(50_000))],
      ["a finalizer", set("ConfigMap/open", "metadata.finalizers", ["example.com/keep"])],
      ["immutable from now on", set("ConfigMap/open", "immutable", true)],
      [
        "a label of an immutable ConfigMap",
        set("ConfigMap/fixed", "metadata.labels", { team: "a" }),
      ],
      ["a label of an immutable Secret", set("Secret/fixed", "metadata.labels", { team: "a" })],
    ],
  },
  {
    what: "rejected changes of data and metadata",
    from: [],
    given: data,
    changes: [
      ["immutable data", set("ConfigMap/fixed", "data.a", "2")],
      ["an immutable Secret", set("Secret/fixed", "data.a", "Yg==")],
      ["another type of secret", set("Secret/token", "type", "kubernetes.io/basic-auth")],
      [
        "a note too long",
        set("ConfigMap/settings", "metadata.annotations.long", "x".repeat(270_000)),
      ],
      ["a key in data and in binaryData", set("ConfigMap/open", "binaryData", { a: "AAEC" })],
    ],
  },
  {
    what: "workloads of other kinds",
    from: [],
    given: workloads,
    changes: [
      ["a policy of updates", set("StatefulSet/db", "spec.updateStrategy", { type: "OnDelete" })],
      ["a first number", set("StatefulSet/db", "spec.minReadySeconds", 1)],
      [
        "claims that go",
        set("StatefulSet/cache", "spec.persistentVolumeClaimRetentionPolicy", {
          whenDeleted: "Delete",
          whenScaled: "Retain",
        }),
      ],
      ["more at once", set("Job/import", "spec.parallelism", 2)],
      ["deleted an hour later", set("Job/import", "spec.ttlSecondsAfterFinished", 3600)],
      [
        "a suspended template",
        set("Job/export", "spec.template.spec.nodeSelector", { disk: "ssd" }),
      ],
      ["another address", set("EndpointSlice/legacy", "endpoints.0.addresses.0", "10.9.8.6")],
      [
        "an image of a template",
        set("PodTemplate/shape", "template.spec.containers.0.image", "x:2"),
      ],
    ],
  },
  {
    what: "rejected changes of workloads of other kinds",
    from: [],
    given: workloads,
    changes: [
      ["another Service of a set", set("StatefulSet/db", "spec.serviceName", "other")],
      ["another order of a set", set("StatefulSet/cache", "spec.podManagementPolicy", "Parallel")],
      [
        "another image of a Job",
        set("Job/import", "spec.template.spec.containers.0.image", "job:2"),
      ],
      ["more completions of a Job", set("Job/export", "spec.completions", 5)],
      ["another kind of addresses", set("EndpointSlice/legacy", "addressType", "FQDN")],
    ],
  },
  {
    what: "custom resources",
    from: [],
    given: definition + shop("one") + shop("two") + shop("three"),
    changes: [
      ["one of two ports with the same number", remove("Shop/one", "spec.ports.0")],
      ["ports in another order", moveUp("Shop/two", "spec.ports.1")],
      ["an explicit default", set("Shop/two", "spec.size", 3)],
      ["one tag fewer", remove("Shop/one", "spec.tags.0")],
      ["null where it is allowed", set("Shop/two", "spec.ports.1.note", null)],
      [
        "a field without a schema",
        set("Shop/three", "spec.free", { other: { thing: null, list: [] } }),
      ],
      [
        "a default more",
        set(
          "CustomResourceDefinition/shops.kinds.example.com",
          "spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.colour",
          { type: "string", default: "red" },
        ),
      ],
    ],
  },
  {
    what: "rejected changes of custom resources",
    from: [],
    given: definition + shop("one") + shop("two") + shop("three"),
    changes: [
      ["another region", set("Shop/one", "spec.region", "south")],
      ["an invalid tier", set("Shop/two", "spec.tier", "huge")],
      ["an invalid size", set("Shop/three", "spec.size", 0)],
    ],
  },
  {
    what: "immutable fields of custom resources",
    from: [],
    given: definition,
    changes: [
      [
        "another scope",
        set("CustomResourceDefinition/shops.kinds.example.com", "spec.scope", "Cluster"),
      ],
    ],
  },
];
