/**
 * The codes of findings with their meaning and the usual fix, in plain Markdown.
 * `npm run docs:generate` creates docs/reference/findings.md from it. Users search for codes and
 * scripts depend on them, so a code never changes its meaning.
 * A renamed code keeps its former name in previous-codes.ts.
 */
export const findingCodes = {
  "rollout-deadlock":
    "The rollout can't complete. The new Pods wait until old Pods stop, and Kubernetes stops old Pods only after the new ones are available. Old and new Pods exclude each other by anti-affinity, host ports, a volume that only one Pod can use, or a lack of room on the nodes.",
  "never-fits":
    "The nodes can't run all Pods of the object, even without old Pods. Possible reasons: more replicas than suitable nodes, too little room, too few volumes, a Pod template or PersistentVolumeClaim that the API server rejects, or a name that is too long for the Pods' labels. For a Job, a single Pod, a ReplicaSet or a CronJob: no node can run even one of its Pods on an empty node. For a DaemonSet that selects no current node, qvs reports only problems that its Pods would have on any node.",
  "rollout-slow":
    "The rollout completes, but takes longer than the timeout. qvs computes the duration from `minReadySeconds`, the number of replicas, and how many are replaced at a time. The timeout is `--timeout` or the input `timeout` (default: 10 minutes).",
  "rollout-paused":
    "The manifest of a Deployment or Rollout pauses it, and its Pod template changes. Its Pods keep the old template until it is resumed, and the deployment succeeds. Or another tool, a webhook or a policy suspends an object (a Job, CronJob, Kustomization and others) although its manifest doesn't. The deployment then waits until the object is resumed, and fails after `--timeout`.",
  preempts:
    "The new Pods have a higher priority than running Pods, and the nodes have no room for both. The scheduler evicts the running Pods.",
  "rollout-unknown":
    "qvs couldn't compute whether the rollout completes. It can't read something that decides this, such as nodes or a PersistentVolumeClaim; the finding names the missing permission. Or something outside the cluster's objects decides.",
  "quota-exceeded":
    "A ResourceQuota leaves too little for the peak of the rollout, when old and new Pods exist together, or for the objects that the deployment creates. The Secrets of the release record, the Lease of the deployment lock, and earlier records until they are pruned also count.",
  "pending-admission":
    "A webhook or admission policy decides about objects, but the API server can't be asked yet. This happens in four cases:\n\n- This deployment creates or changes the webhook, the policy or its parameters in stage `appSetup`, and qvs writes the objects later.\n- This deployment creates or changes the webhook or policy in stage `app`, and it might deny deletions.\n- The webhook or policy exists, but this deployment or an upstream one creates the CustomResourceDefinition of the objects. The API server then accepts no dry run for them.\n- The webhook calls a Service that doesn't exist, and it is about the Secrets or Leases in which qvs records releases. qvs could then neither deploy nor roll back.",
  "changed-by-admission":
    "The API server stores another value than the manifest declares, because a webhook or policy of the cluster changes it. Diffs of live objects show the stored value. qvs doesn't report equal values in another notation (`0.5` as `500m`) or defaults. It doesn't compare Secrets, or list items without a name or key.",
  "field-dropped":
    "The API server accepts a declared field but doesn't store it. Its feature is off in this cluster, the version doesn't know it, the stored version of its CustomResourceDefinition lacks it, a Service of the new type can't have it, or a webhook or policy removes it. Diffs don't show the field. Deployments and drift also report it. For a new object without an answer to a dry run, qvs reports the fields that its [version of Kubernetes](limits.md#versions-of-kubernetes) drops by default. qvs sends the field each time the object changes. qvs doesn't report fields that are empty, zero or false, or fields of Secrets.",
  "still-referenced":
    "The deployment deletes an object that others refer to: live objects outside this deployment, or its own manifests. They lose a function, such as an Ingress without its Service, new PersistentVolumeClaims without their StorageClass, or a webhook without its Service.",
  "deletes-outside-objects":
    "The deployment deletes a Namespace or CustomResourceDefinition, and objects outside the deployment are deleted with it: everything in that namespace, or every object of that kind. The finding names kinds that qvs can't list. qvs reports it only if `--allow-delete` allows the kind. If more such objects are created after the preview, the deployment keeps the Namespace or CustomResourceDefinition. Without that flag, or if declared or kept objects would also be deleted, qvs blocks the deployment with [`protected-deletion`](errors.md#protected-deletion).",
  "missing-dependency":
    "An object refers to something that exists neither in the cluster nor in the deployment. A Pod without its ConfigMap, Secret, PersistentVolumeClaim or ServiceAccount can't start. A PersistentVolumeClaim without its StorageClass or volume stays pending. Without its IngressClass, an Ingress has no controller. Kubernetes deletes a token Secret without its ServiceAccount. Argo Rollouts rejects a Rollout without its Service or AnalysisTemplate. An autoscaler, route, binding, webhook or APIService without its target has no effect.",
  "no-volume":
    "A new PersistentVolumeClaim must be bound at once, but no volume is available. Its StorageClass provisions none, or it has no class and the cluster has no default. No free volume matches, and the deployment creates none. The deployment waits until the timeout.",
  "no-health-rule":
    "A changed object of a custom kind shows no state, and no [health rule](health-rules.md) is about its kind. qvs waits for the [first status](deployment.md#first-status) of a new object, but not longer than 30 s. It is a warning if a deletion, a check, or another object waits for the object. qvs reports each kind once, and no kind without a status.",
  "not-awaited":
    'The annotation [`vs.axis-dev.io/wait`](annotations.md#wait) of a changed object is `"false"`. The deployment doesn\'t wait until the object is ready. The objects that depend on it, and the deletions, follow as soon as it is written.',
  "not-ready":
    "An object isn't ready now, and the deployment only waits for it: the manifests don't change it, or another object depends on it. qvs also reports an object to delete that has been terminating since an earlier run. The deployment waits until its finalizers, and those of the objects that it owns, are removed.",
  "not-reproducible":
    "A template of a chart uses chance or the time, so each rendering gives another value. The deployment then differs from the reviewed plan, and each later deployment changes the object again.",
  "not-reversible":
    "A rollback of this deployment to the current release would be blocked, would fail, or couldn't restore a part of the current state. qvs plans the rollback on the cluster as the deployment will leave it, without changes to the cluster. Data of a deleted PersistentVolumeClaim, values that other tools wrote into a deleted Secret, immutable fields, and versions of a CustomResourceDefinition are examples. With [`require: reversible`](deployments-yaml.md#require), it blocks the deployment.",
  "no-unique-name":
    "A ConfigMap or Secret has the annotation `keepOnDelete`, but its name doesn't change with its content. Each deployment overwrites the earlier content, so a rollback doesn't find it.",
  "ignore-path-unmatched":
    "A path in the annotation `vs.axis-dev.io/ignore-changes` matches nothing.",
  "image-not-pinned":
    "The image has no tag, or the tag `latest`. The version that runs depends on when a node pulls the image, and a rollback doesn't restore the earlier image.",
  "too-large":
    "An object is larger than etcd can store, 1.5 MiB by default. This happens with custom resources, and with ConfigMaps or Secrets with very many keys. The API server accepts the object in a dry run, which stores nothing.",
  "invalid-image":
    "A node can't parse the image name, for example because it contains capitals or a space. No Pod with it starts (`InvalidImageName`). The API server accepts the name.",
  "invalid-rollout":
    "Argo Rollouts considers the Rollout invalid (`InvalidSpec`) and doesn't roll it out. Examples: `maxSurge` and `maxUnavailable` are both 0, `setCanaryScale` without `trafficRouting`, or a Service with other labels. The API server accepts it.",
  "missing-permission":
    "The identity of the preview or of the deployment lacks a permission. The finding names the checks that were skipped.",
  immutable:
    "The deployment changes an immutable field of a live object whose annotation allows replacement. qvs deletes the object and creates it again. With `vs.axis-dev.io/replace: orphan`, the Pods of a StatefulSet stay. Without `vs.axis-dev.io/replace`, qvs blocks the deployment with an error instead.",
  "api-deprecated":
    "The API server warns that a later version of Kubernetes removes this API or field. With [`--against-version`](../operate/upgrade-kubernetes.md), it is a note about an API version that the other version starts to warn about.",
  "removed-api":
    "Only with [`--against-version`](../operate/upgrade-kubernetes.md): that version of Kubernetes no longer serves the API version of an object, or no supported version does. The API server rejects the object. Drift corrections and rollbacks of a release that contains it fail as well.",
  "not-in-version":
    "Only with [`--against-version`](../operate/upgrade-kubernetes.md): that version of Kubernetes doesn't have a kind or a field yet, or no longer has the field, so the API server rejects the object. Or it has the field and drops it, because its feature gate is off by default.",
  "changed-validation":
    "Only with [`--against-version`](../operate/upgrade-kubernetes.md): that version of Kubernetes rejects a value that the current one accepts. Examples are an IP address with leading zeros (since 1.36), a Service whose name starts with a digit (before 1.36), and a Pod that the newer Pod Security standard `latest` of its namespace doesn't allow. It is a note if an update can keep the value of the deployed object.",
  "changed-default":
    "Only with [`--against-version`](../operate/upgrade-kubernetes.md): that version of Kubernetes accepts the object and treats it differently. For example, it starts to store a field whose feature gate was off.",
  "many-deletions":
    "The deployment deletes more than five objects and more than half of its objects.",
  "job-runs-again":
    "The Job runs again. The deployment replaces it, or it was deleted after it completed.",
  "job-running":
    'A Job runs now, such as a migration, and the deployment deletes it, replaces it, or creates its next version. The next version is a Job whose name differs only in its version or last part, such as `migrate-v2` after `migrate-v1`. qvs waits until the running Job ends, up to `--timeout`. If it still runs then, the new Job fails, and an undeclared Job is kept. With `vs.axis-dev.io/replace: "true"` on the Job, qvs interrupts it. Running Jobs of a deleted CronJob are deleted with it.',
  "waits-for-finalizer":
    "The deployment deletes or replaces an object that has a finalizer of another tool. The API server deletes the object after the controller of that tool has removed the finalizer. The deployment waits for that, and fails at the timeout.",
  "rolled-back":
    "The current release is a rollback. Merging deploys the state of this commit again, which might be the state that was rolled back.",
  "exclusive-value-conflict":
    "Two objects of this deployment need something that the cluster gives to only one: a node port or address of Services, a volume, the default PriorityClass, or the names of a CustomResourceDefinition in a group. The API server accepts each one alone, so the deployment of the second one fails.",
  "address-released-late":
    "A Service requests a load balancer address that another Service has until the deployment deletes it at the end. The API server accepts both, but the controller gives the address only to the first one. The new Service might wait until the deployment fails.",
  "old-pods-remain":
    "The Pod template of a ReplicaSet or ReplicationController changes. Neither kind replaces its Pods, so the running Pods keep the old template, and the deployment succeeds.",
  "requests-lost":
    "A rollout replaces Pods behind a Service of the deployment, and clients might lose requests during that time. qvs reports each workload once, with all its reasons. [Update without lost requests](../deploy/zero-downtime.md) explains them and their fixes.\n\n- No Pod serves for some time: the strategy is `Recreate`, `maxUnavailable` lets all Pods end at once, or a StatefulSet has one replica.\n- The container that serves the port has no readiness probe, no startup probe and no postStart hook, and the Pod has no readiness gate.\n- The container has no preStop hook, and its command, arguments and environment mention no draining. Its image might drain by itself.\n- The preStop hook sleeps as long as `terminationGracePeriodSeconds`, or longer, or that field is 0.\n\nqvs reports nothing for new workloads, for Pods that keep their template, or if no Pod is ready now. Headless Services count only if a route, an Ingress or a webhook names them. Services without a selector, with `publishNotReadyAddresses`, or with ports only for metrics don't count.",
  "service-without-endpoints":
    "The selector of a Service, or the labels of the Pods, change. The Service no longer selects the running Pods, permanently or until the new Pods are ready. qvs changes a Service at once, but a rollout replaces its Pods step by step.",
  "unknown-health-field":
    "A [health rule](health-rules.md#own-rules) of the config or an adapter reads a field that the CustomResourceDefinition in the cluster doesn't have. Such an expression is never true. If the definition is in the same config, or below a directory of `--crds`, the field is already an error when qvs compiles.",
  "unknown-port":
    "A probe or a Service refers to a port by a name that the container or the Pods don't have. With such a readiness or startup probe, Pods never become ready. Such a Service has no endpoints. Or an Ingress or route refers to a port that a Service of this deployment doesn't have.",
  "existing-claims-unchanged":
    "A StatefulSet is created or replaced, and its existing PersistentVolumeClaims differ from its claim templates. Its Pods use the existing claims. A template doesn't change the size, class or access modes of an existing claim.",
  "starts-empty":
    "A StatefulSet starts with new, empty PersistentVolumeClaims. Its data stays in the old ones, which qvs doesn't delete. The claim templates were renamed, or the StatefulSet has another name or namespace.",
  "data-lost":
    "The data of a PersistentVolumeClaim is lost. The claim is deleted together with an object that the deployment deletes, replaces or scales down. Or a rollback or drift correction creates a deleted claim again, and it is empty. qvs blocks this without `--allow-delete`, or without `--allow-irreversible` for a rollback or correction. It doesn't block a smaller number of replicas of a StatefulSet, even if Kubernetes then deletes claims.",
  "deletes-dependents":
    "Objects are deleted together with a deleted or replaced object, because nothing else owns them (`metadata.ownerReferences`). qvs doesn't list Pods and other objects of built-in controllers.",
  "owner-missing":
    "The manifest names an owner (`metadata.ownerReferences`) that doesn't exist with that UID, often because it was copied from `kubectl get -o yaml`. The API server accepts the object, and the garbage collector deletes it a moment later, unless another owner exists.",
  "kept-object-missing":
    "The release that the rollback restores needs an object that qvs had kept ([`keepOnDelete`](annotations.md#keepondelete)) and that a user deleted. The rollback creates it again from the record, which doesn't contain fields that other tools had written.",
  "migration-completed":
    "A Job with the annotation `vs.axis-dev.io/migration` ran after the release that the rollback restores. The rollback doesn't undo the migration. qvs blocks the rollback without `--allow-irreversible`, unless the Job failed.",
  "migration-repeated":
    "A drift correction would create a Job with the annotation `vs.axis-dev.io/migration` again and repeat the migration. qvs blocks it without `--allow-irreversible`.",
  "version-not-served":
    "A release contains an object in an API version that the cluster no longer serves. No flag allows the rollback.",
  "history-incomplete":
    "Releases between the current one and the target of the rollback are no longer recorded. qvs can't know whether migrations ran.",
  "kind-not-served":
    "A CustomResourceDefinition has a conversion webhook whose `caBundle` contains no certificate, and no annotation lets a controller inject one. The API server accepts it and never serves its kind, so the deployment fails.",
  "webhook-down":
    "An admission webhook that must answer for these objects doesn't answer. The API server rejects the objects.",
} as const;

export type FindingCode = keyof typeof findingCodes;

/** Reports whether a finding is about a permanent loss by a rollback. */
export function isLoss(code: FindingCode): boolean {
  return code === "data-lost" || code === "migration-completed";
}
