/** The words for kinds on a command line. */

interface NamedKind {
  readonly group: string;
  readonly kind: string;
}

/**
 * Returns the kind that kubectl means by a word such as `deploy`; undefined for an unknown word.
 */
export function findKind(word: string): NamedKind | undefined {
  return kinds.find(({ words }) => words.includes(word.toLowerCase()));
}

/**
 * A kind on the command line: `deploy`, `Deployment`, or `Rollout.argoproj.io` for other API
 * groups.
 */
export interface KindSelector {
  /** The kind in lower case. */
  readonly kind: string;
  /** The API group; undefined for any. */
  readonly group: string | undefined;
}

export function parseKind(text: string): KindSelector {
  const [, word = text, group] = /^([^.]+)\.(.+)$/.exec(text) ?? [];
  const known = group === undefined ? findKind(word) : undefined;
  if (known !== undefined) return { kind: known.kind.toLowerCase(), group: known.group };
  return { kind: word.toLowerCase(), group };
}

/**
 * Reports whether the word means this kind. It also accepts plurals by the English rules that
 * Kubernetes uses.
 */
export function matchesKind({ kind, group }: KindSelector, found: NamedKind): boolean {
  const name = found.kind.toLowerCase();
  const plurals = [name, `${name}s`, `${name}es`, name.replace(/y$/, "ies")];
  return plurals.includes(kind) && (group === undefined || group === found.group);
}

/** The common kinds with kubectl's words for them. */
const kinds: readonly (NamedKind & { readonly words: readonly string[] })[] = [
  ["", "ConfigMap", "configmap configmaps cm"],
  ["", "Namespace", "namespace namespaces ns"],
  ["", "PersistentVolumeClaim", "persistentvolumeclaim persistentvolumeclaims pvc"],
  ["", "Secret", "secret secrets"],
  ["", "Service", "service services svc"],
  ["", "ServiceAccount", "serviceaccount serviceaccounts sa"],
  ["apps", "DaemonSet", "daemonset daemonsets ds"],
  ["apps", "Deployment", "deployment deployments deploy"],
  ["apps", "StatefulSet", "statefulset statefulsets sts"],
  [
    "autoscaling",
    "HorizontalPodAutoscaler",
    "horizontalpodautoscaler horizontalpodautoscalers hpa",
  ],
  ["batch", "CronJob", "cronjob cronjobs cj"],
  ["batch", "Job", "job jobs"],
  ["networking.k8s.io", "Ingress", "ingress ingresses ing"],
  ["networking.k8s.io", "NetworkPolicy", "networkpolicy networkpolicies netpol"],
  ["policy", "PodDisruptionBudget", "poddisruptionbudget poddisruptionbudgets pdb"],
  ["rbac.authorization.k8s.io", "Role", "role roles"],
  ["rbac.authorization.k8s.io", "RoleBinding", "rolebinding rolebindings"],
].map(([group = "", kind = "", words = ""]) => ({ group, kind, words: words.split(" ") }));

export const kindWords: readonly string[] = kinds.flatMap(({ words }) => words);

/** The names of the common kinds. */
export const kindNames: readonly string[] = kinds.map(({ kind }) => kind);
