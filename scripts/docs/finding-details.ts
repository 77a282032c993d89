import type { FindingCode } from "../../src/model/problems/finding-codes.ts";

/** The usual fix of each finding, as its rule in src/preflight/rules suggests it. */
export const fixesOfFindings: Readonly<Record<FindingCode, string>> = {
  "api-deprecated":
    "Replace the API version or the field before you upgrade to a version of Kubernetes without it.",
  "removed-api":
    "Declare the API version that the finding names, and deploy it before the upgrade. If the current version of Kubernetes doesn't have it yet, deploy it right after the upgrade.",
  "not-in-version": "Remove the field, or declare the API version that the finding names.",
  "changed-validation": "Declare a value that both versions accept, before the upgrade.",
  "changed-default":
    "Declare the value that you want, or remove the field that begins to have an effect.",
  "changed-by-admission": "Declare the stored value, or change the webhook or policy.",
  "exclusive-value-conflict":
    "Give one of them another value, such as another port, volume or name. Or let the API server choose the value, if it can.",
  "address-released-late":
    "Keep the name of the Service, deploy once without the old Service first, or leave the address to the controller.",
  "existing-claims-unchanged":
    "Change `spec.resources.requests.storage` of the claims themselves if their StorageClass lets them grow. For any other change, create new claims and copy the data into them.",
  "pending-admission":
    "Satisfy the policy, or declare a webhook or policy of `appSetup` in `app`, where qvs writes it last. To get an answer in the preview, deploy the webhook, the policy or the CustomResourceDefinition alone first.",
  "data-lost":
    "Make sure that the data is no longer needed or has a backup. To keep claims of a StatefulSet, declare `Retain` in its `persistentVolumeClaimRetentionPolicy` first.",
  "deletes-outside-objects":
    "Ask the people who manage these objects first, or keep the object with the annotation [`keepOnDelete`](annotations.md#keepondelete).",
  "deletes-dependents":
    "Make sure that no one needs these objects, or remove the deleted object from their `metadata.ownerReferences`.",
  "field-dropped":
    "Enable the feature in the cluster, change the webhook or policy, add the field to the stored version of the CustomResourceDefinition, or remove the field from the manifest.",
  "history-incomplete":
    "Search the history of the repository for Jobs with the annotation `vs.axis-dev.io/migration`.",
  "ignore-path-unmatched": "Correct the path, or remove it.",
  "image-not-pinned": "Add a version tag or a digest to the image name.",
  immutable:
    "Give the object another name, so that qvs deletes the old one only after the new one is ready. An object that finds its data by its name must keep the name.",
  "invalid-image": "Correct the image name, for example `registry.example/team/web:1.2.3`.",
  "invalid-rollout": "Correct the field that the finding names.",
  "job-running":
    "Deploy after the Job ends, or allow more time with `--timeout` (input `timeout`).",
  "job-runs-again":
    "Make sure that the Job can run more than once, or give it a name that changes only when it must run.",
  "kept-object-missing":
    "Restore values that other tools wrote into the object if they are needed, such as a generated password or a certificate.",
  "many-deletions": "Make sure that no changed condition or parameter removes objects by mistake.",
  "migration-completed":
    "Make sure that the restored release works after this migration. Then allow the rollback with `--allow-irreversible`.",
  "migration-repeated": "Make sure that the Job can run twice, or deploy a commit without it.",
  "missing-dependency": "Declare the missing object, or correct the name.",
  "missing-permission":
    "Add the rules that the finding shows to a role of the identity, or apply the roles that [`qvs rbac`](../integrate/permissions.md) prints.",
  "never-fits":
    "Set fewer replicas, relax the rules that separate the Pods, change their node requirements, or add suitable nodes. If the API server rejects the Pods, correct the field that it names.",
  "kind-not-served":
    "Set `caBundle` to the certificate authority. Or remove `caBundle` and let a controller inject it, for example cert-manager with the annotation `cert-manager.io/inject-ca-from`.",
  "not-reproducible":
    "Set the value in the values of the chart, for example the name of an existing Secret. Or keep the live value: let an adapter add the annotation `vs.axis-dev.io/ignore-changes` to the object.",
  "no-unique-name": "Make its name depend on its content, for example with a hash.",
  "no-volume": "Set a StorageClass that creates volumes, or declare a matching PersistentVolume.",
  "no-health-rule":
    'Add the [rule](health-rules.md#own-rules) that the finding shows to `qvs.yaml` or to an adapter. If the object needs no wait, set the annotation [`vs.axis-dev.io/wait`](annotations.md#wait) to `"false"`, or the expression `current` of the rule to `"true"`.',
  "not-awaited": "Remove the annotation if other objects need the object to be ready.",
  "not-reversible":
    "Follow the fix of the finding. Usually, keep the old object next to the new one until no rollback needs it, or save its data first.",
  "not-ready":
    "Find out why the object isn't ready. If a Job or Pod failed, change it, or delete it so that the deployment creates it again. For an object that is being deleted, make sure that the controller of each finalizer runs.",
  "old-pods-remain":
    "Delete the Pods one by one after the deployment, or declare a Deployment, which replaces them.",
  "owner-missing": "Remove `metadata.ownerReferences` from the manifest.",
  preempts: "Give the Pods the same priority as the running Pods, or add room on the nodes.",
  "quota-exceeded":
    "Raise the quota, or request less. If only old and new Pods together exceed it, let an old Pod stop first: set `maxUnavailable: 1`, or for a DaemonSet `maxSurge: 0`.",
  "requests-lost":
    "Paste the lines that the finding shows. If the image drains by itself, or if the lost requests are acceptable, [allow](annotations.md#allow) the finding.",
  "rolled-back": "Find out first why the release was rolled back.",
  "rollout-deadlock":
    "Let an old Pod stop before a new one starts, with the lines that the finding shows. Or relax the rules that separate Pods of two versions, or add nodes.",
  "rollout-paused":
    "Resume the object when new Pods can start. If another tool paused it and that is intended, declare the pause in the manifest.",
  "rollout-slow":
    "Set a longer `--timeout` (input `timeout`), lower `minReadySeconds`, or replace more Pods at a time.",
  "rollout-unknown":
    "If a permission is missing, grant it. If something outside the cluster's objects decides, there is nothing to fix.",
  "service-without-endpoints":
    "Add the labels of the selector to the Pod template, or set the selector to the labels of the new Pods. To avoid a gap, first add the new label to the Pods, and keep the old label and the selector. Change the selector in a later deployment, and remove the old label only then. If the selector needs another value of the same label, first deploy the new Pods under another name next to the old ones.",
  "starts-empty":
    "Keep the names of the StatefulSet and its claim templates, and the namespace. Or copy the data into claims of the new name first.",
  "still-referenced": "Declare the object again, or remove the references to it first.",
  "too-large": "Split the object into several ones, or store large values elsewhere.",
  "unknown-health-field":
    "Correct the field in the rule. If the cluster has an older CustomResourceDefinition, update it first.",
  "unknown-port":
    "Set a port that the container, the Pods or the Service have, or give one of their ports this name.",
  "version-not-served":
    "Roll back to a newer release, or deploy a commit that declares the object in a served version.",
  "waits-for-finalizer":
    "Check that the controller of the finalizer runs. If its tool was removed, remove the finalizer from the object.",
  "webhook-down":
    "Make sure that the webhook's Service runs and that the API server can reach it. Then run again.",
};

/** The conditions for the severity, for each finding that can have several. */
export const severityRules: Readonly<Partial<Record<FindingCode, string>>> = {
  "pending-admission":
    "Warning, or error in these cases: a ValidatingAdmissionPolicy in `appSetup` would deny an object that the deployment needs, or a webhook in `appSetup` blocks objects that its own Service in `app`, or the workload behind it, needs. It is also error if a webhook calls a Service that doesn't exist, and blocks objects of `app` or the records of qvs itself.",
  "data-lost": "It is error for a rollback or a drift correction. Otherwise it is warning.",
  immutable:
    "It is note if the Pods of a StatefulSet stay and no other field manager loses a field. Otherwise it is warning.",
  "invalid-image":
    "It is error if the deployment waits for Pods with this image. Otherwise it is warning.",
  "invalid-rollout":
    "It is warning if the deployment doesn't wait for the Rollout. Otherwise it is error.",
  "migration-completed":
    "It is warning if the Job failed and might have migrated a part. Otherwise it is error.",
  "missing-dependency":
    "It is warning if the deployment doesn't wait for the object, or if a custom resource in this deployment might create the missing object. Otherwise it is error.",
  "never-fits":
    "It is warning if an autoscaler might add nodes, if the deployment doesn't wait for the Pods, if a policy or webhook rejects them, or if an upstream deployment changes Pods on the nodes. Otherwise it is error.",
  "no-volume": "It is warning if the deployment doesn't wait for the claim. Otherwise it is error.",
  "no-health-rule":
    "It is warning if a deletion, a check or another object waits for the object. Otherwise it is note.",
  "not-ready":
    "It is error if the object has failed, such as a Job, because the deployment then ends at once. It is note if the deployment changes something that the object depends on. Otherwise it is warning.",
  "owner-missing":
    "It is error if the garbage collector deletes the object. It is warning if the reference only has no effect.",
  "quota-exceeded":
    "It is error if the quota stops the deployment. It is warning if another rollout or an upstream deployment might free enough first. It is note if the quota only slows the rollout down.",
  "requests-lost": "It is note if only the preStop hook is missing. Otherwise it is warning.",
  "rolled-back":
    "It is warning if merging deploys exactly the state that was rolled back. Otherwise it is note.",
  "rollout-deadlock":
    "It is error if the rollout certainly stops. It is warning if it depends on something else: which old Pods stop first, other rollouts, old Pods that aren't ready, nodes that an autoscaler might add, or an upstream deployment. It is also warning if the deployment doesn't wait for the object.",
  "rollout-paused":
    "It is note if the manifest declares the pause. It is warning if something else pauses or suspends the object.",
  "unknown-health-field":
    "It is error for the expression `current`, because the object never becomes ready. Otherwise it is warning.",
  "unknown-port":
    "It is error for a probe without which the Pods never become ready, if the deployment waits for them. Otherwise it is warning.",
  "webhook-down":
    "It is warning if an upstream deployment might create the webhook's Service. Otherwise it is error.",
};
