/** Errors of the connection to the cluster, of permissions and of API requests. */
export const clusterCodes = {
  "admission-denied":
    "An admission policy, a webhook or a proxy in front of the API server denied the request. Do what its message asks for, or ask the administrators of the cluster to change the policy.",
  "api-deprecated":
    "The API server warns that a later version of Kubernetes removes this API, field or value. Replace it before you upgrade the cluster.",
  "api-error":
    "The API server rejected the request for a reason that qvs doesn't know, or its answer was unusable. Read its message. Running again is safe.",
  "api-unavailable":
    "The API server couldn't handle the request: it is overloaded, restarting or has an internal error. Run again later.",
  "api-warning":
    "The API server, a webhook or a policy accepts the manifest with a warning. Correct the manifest if the warning is justified.",
  "cluster-unreachable":
    "qvs couldn't connect to the API server. Check that the cluster runs, the server's address in the kubeconfig, and the network.",
  "credential-plugin-failed":
    "The credential plugin of the kubeconfig is missing or failed. Install it, or run it manually to see its error.",
  "dependency-not-found":
    "An object depends on an object that is neither in the cluster nor declared. Declare it, create it first, or correct the reference.",
  "field-dropped":
    "The API server accepts a declared field but doesn't store it: its feature is off in this cluster, or a webhook or policy removes it. Enable the feature, or remove the field from the manifest.",
  "invalid-credentials":
    "The cluster rejects the credentials, or qvs couldn't renew them. Log in again, or renew the credentials of the kubeconfig context.",
  "invalid-kubeconfig":
    "qvs can't read the kubeconfig, or a part of it is missing or wrong. `kubectl config view --raw --flatten` prints a complete one.",
  "kind-without-objects":
    "The API server stores no object of this kind. It is a subresource such as Scale or Eviction, a review, or the options of a request. Remove the manifest, and set the fields of the object that it belongs to.",
  "kubeconfig-in-lines":
    "A kubeconfig in several lines is stored as a secret of GitHub. The runner masks each of its lines in logs and summaries, so `kind: Config` turns `kind: ConfigMap` into `***Map`. Store it in Base64 on one line.",
  "kubeconfig-not-found":
    "No kubeconfig exists. Pass its path or its content, or set `KUBECONFIG`.",
  "missing-permission":
    "The identity of this run lacks a permission. Allow it in a Role or ClusterRole that is bound to the identity.",
  "namespace-not-found": "The namespace does not exist. Create it, or declare it in appSetup.",
  "object-being-deleted":
    "An object or its namespace is being deleted. Wait until it is deleted, then run again. Its finalizers might block the deletion.",
  "object-not-found":
    "The cluster has no object of that name in that namespace. Check the name, and choose the namespace with `--namespace`.",
  "quota-exceeded":
    "A quota of the namespace doesn't allow the object or its Pods. Raise the quota, request less, or delete objects that you no longer need.",
  "unknown-context":
    "The kubeconfig doesn't have the context, or has no current one. Choose one of its contexts.",
  "unknown-kind":
    "The cluster doesn't serve the kind in that API version. Install its CustomResourceDefinition, or correct `apiVersion` and `kind`.",
  "webhook-unavailable":
    "An admission webhook of the cluster didn't answer. Check that its Service runs, then run again.",
} as const;
