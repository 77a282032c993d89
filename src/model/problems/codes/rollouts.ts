/** Errors of a run that deploys: its lock, its waits and its end. */
export const rolloutCodes = {
  "automatic-rollback":
    "The deployment failed, and `--on-failure=rollback` applied the last successful release to the changed objects. Correct the failure and deploy again.",
  "check-failed":
    "A check of the config didn't pass, so qvs deleted nothing and the release failed. Correct the cause that the evidence shows, and run again.",
  "container-config-missing":
    "A ConfigMap, Secret or key that a container uses doesn't exist. Declare it, or correct the reference.",
  "container-crashed":
    "A container exits repeatedly. Read its exit code and log, correct the program or its configuration, and run again.",
  "controller-not-running":
    "The controller of this kind hasn't observed the object. Check that it is installed and running in the cluster.",
  "deletion-timeout":
    "An object still existed when the timeout for its deletion ended. Check its finalizers and the controllers that remove them.",
  "dependency-failed":
    "qvs skipped a deployment, because a deployment that it depends on failed. Correct that one first.",
  "image-pull-failed":
    "The node can't pull the image of a container. Check its name and tag, and that the cluster is allowed to pull it (`imagePullSecrets`).",
  "job-running":
    'A Job still runs, a new Job replaces it, and the deployment waited until the timeout. Run again when the old Job has ended. To run both at once, annotate the new Job with `vs.axis-dev.io/replace: "true"`.',
  "lock-held":
    "Another run is deploying this deployment. Try again when it ends. The lock of a dead run expires after a short time.",
  "lock-lost":
    "The run lost the deployment lock, so another run might be deploying it. Run again when that one ends.",
  "lock-not-available":
    "qvs couldn't get the lock (a Lease), although no run seems to hold it. Check what changes or protects the Lease, and how fast the API server answers.",
  "missing-dependency":
    "A Pod refers to a ConfigMap, Secret, PersistentVolumeClaim or ServiceAccount that exists neither in the cluster nor in this deployment. Its containers can't start. Declare it, correct the name, or mark it as optional.",
  "not-ready":
    "An object wasn't ready before the timeout. Correct the reason that the message shows. If the object only needs more time, raise `--timeout`.",
  "out-of-memory":
    "A container was killed because it used more memory than its limit. Raise `resources.limits.memory`, or reduce its memory use.",
  "planned-checks":
    "Checks of the config run after all objects are ready, and before qvs deletes anything. No action is needed.",
  "pod-not-scheduled":
    "No node can run a Pod. Add capacity, or change the Pod's requests, tolerations or selectors.",
  "run-canceled": "The run was canceled before the deployment started. Run it again.",
  "run-superseded":
    "A newer run of the same deployment superseded this run. No action is necessary: the newer run continues from this state.",
  "volume-not-provisioned":
    "The cluster couldn't create a volume for a PersistentVolumeClaim. Correct its `storageClassName`, or install that class.",
} as const;
