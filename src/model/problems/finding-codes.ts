/**
 * What a preview finds that the cluster would do with a plan, with what each means and the usual cure, in plain Markdown.
 * docs/reference/findings.md is made of it (`npm run docs:generate`). People search for a code and scripts depend on it, so it
 * never changes its meaning.
 */
export const findingCodes = {
  "rollout-deadlock":
    "The rollout can't complete: the new Pods wait for the old ones to leave, and these may leave only after the new ones are available. Old and new Pods exclude each other by anti-affinity, by host ports, by a volume of one Pod, or for lack of room on the nodes.",
  "never-fits":
    "Not all Pods of the object fit on the nodes, even if no old one were left: more replicas than nodes that may take one, too little room, too few volumes for their claims, a template of which the API server refuses every Pod, or every claim that the Pods need, or a name that leaves no room for what makes them. Of a Job, a Pod by itself, a ReplicaSet or a CronJob: no node could ever take one of its Pods, even if nothing else ran there. A DaemonSet that no node is for has no Pods that anybody waits for: what would keep them away is a warning, as of `invalid-image` and `unknown-port`.",
  "rollout-slow":
    "The rollout completes, but it takes longer than the deployment waits for it: by `minReadySeconds`, the number of replicas and how many may be replaced at a time. The time limit is that of `--timeout` or the input `timeout`, 10 minutes where nothing is said.",
  "rollout-paused":
    "A Deployment or a Rollout gets a new Pod template and is paused by its manifest: its Pods keep the old template until it is resumed, and the deployment succeeds with them. Or another tool, an admission webhook or a policy pauses or suspends an object (a Job, a CronJob, a Kustomization …) whose manifest does not declare it: the deployment waits until the object is resumed, and fails after `--timeout`.",
  preempts:
    "The new Pods have a higher priority than Pods that run, and there is no room beside them: the scheduler evicts these.",
  "rollout-unknown":
    "Whether the rollout can complete could not be computed, because something can't be read that it depends on, such as nodes, or a claim that the Pods use; the right to add is named. Or something else than the cluster's objects decides.",
  "quota-exceeded":
    "A ResourceQuota leaves too little for what the rollout needs at its peak, when old and new Pods are there together, or for the objects that the deployment creates. The Secrets of the release record and the Lease of the deployment lock count, too, as well as earlier records until they are pruned.",
  "coming-admission":
    "A webhook or an admission policy of `appSetup` comes or changes, and its rules match what `app` writes afterwards, or the Pods of that. Nobody can ask one that is not there yet. It is an error where a ValidatingAdmissionPolicy would refuse them, as far as all that decides is known, or where a webhook that refuses everything while nobody answers comes before the Service that it asks. The same of `app` is told where it may refuse the deletion of what is no longer declared, which comes last. And of one that is there it is told where it decides about objects whose definition comes with them, or with a deployment before: the server takes no dry-run of these.",
  "changed-by-admission":
    "The API server stores another value than the manifest declares, since a webhook or a policy of the cluster changes it on the way: what runs is not what is declared. Diffs of live objects show the stored value. Values that the server only writes in another way (`0.5` as `500m`) are none, nor what it fills in. Not compared are Secrets, and items of lists that no name or key tells apart.",
  "field-dropped":
    "The API server accepts a declared field and does not store it: the feature is off in this cluster, its version does not know it, or an admission webhook or policy removes it. Diffs don't show the field, deployments and drift name it as well, and a deployment sends it each time the object changes. Fields that are empty, zero or false are not named, nor fields of Secrets.",
  "still-referenced":
    "An object is deleted that others still name: live objects outside of this deployment, or what it declares itself. Without what they name they go on with less: an Ingress without its Service, claims to come without their StorageClass, the configuration of a webhook without the Service that it asks.",
  "deletes-others":
    "A Namespace or a CustomResourceDefinition is deleted, and objects of others go with it: everything in that namespace, or every object of that kind in any namespace. What can't be listed is named. If others come after the preview, the Namespace or definition is not deleted.",
  "missing-dependency":
    "A Pod names a ConfigMap, a Secret, a claim or an account that neither the cluster nor this deployment has: its containers can't start. Or a new claim names a StorageClass, or its volume, that nobody has, so it never gets a volume; or an Ingress a class that nobody has, so that no controller serves it; or a Secret with the token of an account that nobody has, which is deleted at once; or a Rollout a Service or an AnalysisTemplate that nobody has, without which Argo Rollouts finds it invalid; or a HorizontalPodAutoscaler what nobody has, so that it scales nothing. Or what comes names what nobody has and does nothing without: an Ingress or a route its Service or Gateway, a binding its role or its admission policy, a webhook or an APIService its Service.",
  "no-volume":
    "A new claim is to be bound at once, to a volume that is there: its StorageClass makes none, or it has none and neither has the cluster a default one. No volume that suits it is free, and the deployment brings none, so it waits until it gives up.",
  "not-ready":
    "Something isn't ready now, by the same rules that a deployment waits by, and the deployment only waits for it: it declares it and changes nothing of it, or something depends on it. A warning, since it may get ready meanwhile; an error where it has failed, as a Job may, which ends the deployment at once; a note where what it depends on is changed, which may help. Or an object that the deployment deletes has been terminating since an earlier run, and finalizers hold it back, or what it owns: the deployment waits until they are removed.",
  "no-unique-name":
    "The ConfigMap or Secret is kept when it is no longer declared, but its name never changes: every deployment overwrites the one that was to be kept.",
  "ignored-nothing": "A path in the annotation `vs.axis-dev.io/ignore-changes` matches nothing.",
  "image-not-pinned":
    "The image has no tag, or `latest`: which version runs depends on the moment a node pulls it, and going back to an earlier release does not bring the earlier image back.",
  "too-large":
    "An object takes more than etcd stores in one piece, 1.5 MiB unless it is configured otherwise: a custom resource, or a ConfigMap or Secret with very many keys. The API server accepts it in a dry-run, which stores nothing.",
  "invalid-image":
    "The name of an image is none that a node can parse, such as one with capitals or a space: no Pod with it ever starts (`InvalidImageName`). The API server accepts it.",
  "invalid-rollout":
    "Argo Rollouts finds the Rollout invalid (`InvalidSpec`) and rolls nothing out, such as one with `maxSurge` and `maxUnavailable` of 0, with `setCanaryScale` but no `trafficRouting`, or with a Service of other labels. The API server accepts it.",
  "missing-permission":
    "This identity, or the one that deploys, lacks a right. What could not be asked for lack of it is named.",
  immutable:
    "A field is changed that can't be changed on a live object, which asks to be replaced: it is deleted and created again. Without `vs.axis-dev.io/replace` the deployment is refused, by a problem and not by this finding.",
  "api-deprecated":
    "The API server warns that a later version of the cluster no longer has this API or field.",
  "many-deletions": "More than five objects and more than half of the deployment are deleted.",
  "job-runs-again":
    "The Job is deleted and created again, or was deleted when it had finished, so it runs once more.",
  "job-running":
    'A Job runs now, such as a migration, and is deleted, recreated or followed by another Job. The deployment waits until it has ended, as long as `--timeout` allows, before it creates a Job under a name that differs only in its version or last part, and before it deletes the Job. If the Job still runs then, the new one fails, and a Job that is no longer declared is kept. With `vs.axis-dev.io/replace: "true"` on the Job, the deployment interrupts it.',
  "rolled-back":
    "The release that runs is a rollback: merging deploys the state of this commit again, which may be the one that was rolled back.",
  "claimed-twice":
    "Two objects that this deployment writes claim what the cluster gives to one only: a node port or an address of Services, a volume, to be the default PriorityClass, or a name of CustomResourceDefinitions in a group, which one that is there may have, too. The server accepts each alone, so that only the deployment of the second fails.",
  "claimed-until-deleted":
    "A Service asks for the address of a load balancer that another Service has until the deployment deletes it, which comes last. The API server accepts both, but the controller gives the address to the first only, so the new Service may wait for it until the deployment fails. Keep the name, or delete the old Service in a deployment of its own.",
  "old-pods-stay":
    "The Pod template of a ReplicaSet or ReplicationController changes. Neither replaces Pods, so those that run keep the old template, and the deployment is ready with them.",
  "service-without-endpoints":
    "A Service stops selecting the Pods that run, for good or until new Pods are ready: its selector, or the labels of the Pods, change.",
  "unknown-port":
    "A probe, or a Service, asks for a port by a name that the container, or none of the Pods, has. With such a readiness or startup probe Pods never become ready; through such a Service nobody reaches them. Or an Ingress or a route asks for a port that a Service of this deployment does not have.",
  "claims-stay":
    "A StatefulSet that is created or recreated has other templates of claims than the claims that are there, which its Pods use as they are: a template changes neither the size nor the class nor the access modes of a claim.",
  "starts-empty":
    "A StatefulSet begins with new claims, and the data stays in the old ones, which nothing deletes: it is recreated with templates of claims of other names, or it takes the place of one that had another name or was in another namespace.",
  "data-lost":
    "The data of a claim is lost: a claim goes with what is deleted, recreated or scaled down, or a rollback or a correction creates a claim again that was deleted since, so it is empty. Without `--allow-delete` or, for a rollback or a correction, `--allow-irreversible`, it is refused. Fewer replicas are not refused.",
  "deletes-owned":
    "Objects go with one that is deleted or recreated, since nothing else is their owner (`metadata.ownerReferences`). Pods and the like, which controllers of Kubernetes make, are not named.",
  "owner-gone":
    "The manifest names an owner (`metadata.ownerReferences`) that is not there with that uid, as in a manifest that was copied from `kubectl get -o yaml`. The API server takes it, and the garbage collector deletes the object a moment later, unless it has another owner that is there.",
  "kept-object-gone":
    "A rollback creates an object again that was kept for it and that somebody has deleted. What others have written into it is not in the record.",
  "migration-completed":
    "A Job with the annotation `vs.axis-dev.io/migration` ran since the release that a rollback goes back to, which does not undo what it migrated. The rollback is refused without `--allow-irreversible`, unless the Job has failed.",
  "migration-repeated":
    "A correction would create a Job with the annotation `vs.axis-dev.io/migration` again, so that it migrates again. It is refused without `--allow-irreversible`.",
  "version-not-served":
    "A release has an object in a version of its API that the cluster no longer serves, so it can't be brought back. No flag allows it.",
  "history-incomplete":
    "Releases between the one that runs and the one that a rollback goes back to are not recorded any more, so nobody can tell whether migrations ran.",
  "never-served":
    "A CustomResourceDefinition has a conversion webhook whose certificate authority (`caBundle`) holds no certificate, and no annotation asks a controller to inject one. The API server accepts it and never serves its kind, so that the deployment fails.",
  "webhook-down":
    "An admission webhook that has to answer for these objects does not, so the API server refuses them.",
} as const;

/** What kind of finding it is. */
export type FindingCode = keyof typeof findingCodes;

/** Whether it is about something that a rollback loses for good. */
export function isLoss(code: FindingCode): boolean {
  return code === "data-lost" || code === "migration-completed";
}
