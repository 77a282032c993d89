/** A run that deploys: its lock, what it waits for, how it ends. */
export const codesOfRollouts = {
  "container-config-missing":
    "A ConfigMap, a Secret or a key that a container reads does not exist. Declare it, or correct the reference.",
  "container-crashed":
    "A container exits again and again. Read its exit code and log, correct the program or its configuration, and run again.",
  "controller-not-running":
    "The controller of this kind has not looked at the object. Check that it is installed and running in the cluster.",
  "deletion-timeout":
    "An object was still there at the end of the waiting time after its deletion was requested. Check its finalizers and the controllers that remove them.",
  "dependency-failed":
    "A deployment was not attempted, because one that it depends on failed. Correct that one first.",
  "gave-way":
    "A newer run of the same deployment asked for the lock, so this one stopped waiting and gave way to it. Nothing is to be done: the newer run goes on from what this one has left.",
  "image-pull-failed":
    "The image of a container cannot be pulled. Check its name and tag, and that the cluster may pull it (`imagePullSecrets`).",
  "job-running":
    'A Job still runs whose place a new Job takes, and the deployment has waited for it as long as it may. Run again when the old Job has ended. To run both at once, annotate the new Job with `vs.axis-dev.io/replace: "true"`.',
  "lock-held":
    "Another run is deploying this deployment. Try again when it has ended; the lock of a run that died is released after a short time.",
  "lock-lost":
    "The lock of the deployment was lost during the run, so another run may be deploying it. Run again when that one has ended.",
  "lock-not-available":
    "The lock (a Lease) could not be taken although nobody seems to hold it. Check what changes or guards the Lease, and how fast the API server answers.",
  "missing-dependency":
    "A Pod names a ConfigMap, a Secret, a claim or an account that neither the cluster nor this deployment has: its containers can't start. Declare it, correct the name, or mark it as optional.",
  "not-ready":
    "An object did not become ready in time. Correct what the shown evidence says; if it only needs longer, raise `--timeout`.",
  "out-of-memory":
    "A container was killed because it used more memory than its limit. Raise `resources.limits.memory`, or find out why it uses so much.",
  "pod-not-scheduled":
    "No node can take a Pod. Add capacity, or change what the Pod requests, tolerates or selects.",
  "run-cancelled": "The run was cancelled before the deployment began. Run it again.",
  "volume-not-provisioned":
    "No volume could be created for a claim. Correct its `storageClassName`, or have the cluster provide that class.",
  "went-back":
    "The deployment has failed, and `--on-failure=rollback` has applied the last release that succeeded again, of what was changed since. Correct what has failed and deploy again.",
} as const;
