/** What the cluster answers: how it is reached, what it allows, what it has. */
export const codesOfCluster = {
  "admission-denied":
    "A policy, an admission webhook or a proxy in front of the API server denied the request. Satisfy what its message asks for, or ask the administrators of the cluster to change the policy.",
  "api-deprecated":
    "The API server warns that a later version of the cluster will no longer have this API, field or value. Replace it before the cluster is upgraded.",
  "api-error":
    "The API server refused the request for a reason that is not known here, or answered with something unusable. Read its message; running again is safe.",
  "api-unavailable":
    "The API server could not carry out the request at the moment: it is overloaded, restarting or has an internal error. Run again later.",
  "api-warning":
    "The API server, or an admission webhook or policy, warns of something in the manifest without refusing it. Correct it if it is not meant.",
  "cluster-unreachable":
    "No connection to the API server could be made. Check that the cluster runs, the server's address in the kubeconfig and the network in between.",
  "credential-plugin-failed":
    "The credential plugin of the kubeconfig is missing or failed. Install it, or run it by hand to see why it fails.",
  "dependency-not-found":
    "An object needs another one that is neither in the cluster nor declared. Declare it, create it first, or correct the reference.",
  "field-dropped":
    "The API server accepts a declared field and does not store it: the feature is off in this cluster, or an admission webhook or policy removes the field. Enable the feature, or remove the field from the manifest.",
  "invalid-credentials":
    "The cluster does not accept the credentials, or they could not be renewed. Log in again, or renew the credentials of the kubeconfig context.",
  "invalid-kubeconfig":
    "The kubeconfig cannot be read, or a part of it is missing or wrong. `kubectl config view --raw --flatten` prints a whole one.",
  "kubeconfig-not-found":
    "There is no kubeconfig. Give its path or its content, or set `KUBECONFIG`.",
  "missing-permission":
    "The identity of this run is not allowed to do what is needed. Allow it in a Role or ClusterRole that is bound to the identity.",
  "namespace-not-found": "The namespace does not exist. Create it, or declare it in appSetup.",
  "object-being-deleted":
    "An object, or its namespace, is being deleted. Wait until it is deleted, then run again; its finalizers may hold it.",
  "object-not-found":
    "The cluster has no object of that name in that namespace. Check the name, and choose the namespace with `--namespace`.",
  "quota-exceeded":
    "A quota of the namespace does not allow the object or its Pods. Raise the quota, request less, or delete objects that are no longer needed.",
  "unknown-context":
    "The kubeconfig does not have the context, or no current one. Name one of those that it has.",
  "unknown-kind":
    "The cluster does not serve the kind in that API version. Install its CustomResourceDefinition, or correct `apiVersion` and `kind`.",
  "webhook-unavailable":
    "An admission webhook of the cluster did not answer. Check that the service behind it runs, then run again.",
} as const;
