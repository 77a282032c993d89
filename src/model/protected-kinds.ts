/** Kinds that take more with them than themselves, so they go only when somebody allowed it by name (deploy.md §4). */
export const protectedKinds: ReadonlyMap<string, string> = new Map([
  ["PersistentVolumeClaim", ""],
  ["Namespace", ""],
  ["CustomResourceDefinition", "apiextensions.k8s.io"],
]);

/** The word among the kinds of --allow-delete that lets a deployment end with nothing at all. */
export const everything = "everything";
