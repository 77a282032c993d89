import { textAt } from "../../model/json.ts";
import { type KubeObject, label } from "../../model/object.ts";
import { fromNewest } from "../../model/release.ts";
import { isBeingDeleted } from "../decode.ts";
import { parseReleaseName, releaseStatusLabel } from "../release-names.ts";

/** A deployment as far as the metadata of its records tell. */
export interface RecordedDeployment {
  readonly name: string;
  /** Of its records. */
  readonly namespace: string;
  /** The revisions of its releases, newest first; never empty. */
  readonly revisions: readonly number[];
  /** The same with what their labels say of them. */
  readonly statuses: readonly { readonly revision: number; readonly status: string }[];
  /** The names of the Secrets that hold what runs: of the newest release that succeeded, and of all later ones. */
  readonly secrets: readonly string[];
}

/** Every deployment that the Secrets of releases belong to, by namespace and name. */
export function recordedDeployments(secrets: readonly KubeObject[]): readonly RecordedDeployment[] {
  const known = secrets.flatMap((secret) => {
    const name = isBeingDeleted(secret) ? undefined : parseReleaseName(secret);
    const namespace = textAt(secret, "metadata", "namespace") ?? "";
    return name === undefined ? [] : [{ secret, ...name, namespace }];
  });
  const groups = Map.groupBy(known, ({ deployment, namespace }) => `${namespace}/${deployment}`);
  return [...groups.keys()].toSorted().flatMap((key) => {
    const own = groups.get(key) ?? [];
    const heads = fromNewest(own.filter(({ part }) => part === 0));
    const [newest] = heads;
    if (newest === undefined) return [];
    const running = heads.find(({ secret }) => label(secret, releaseStatusLabel) === "succeeded");
    const oldest = running?.revision ?? 0;
    return [
      {
        name: newest.deployment,
        namespace: newest.namespace,
        revisions: heads.map(({ revision }) => revision),
        statuses: heads.map(({ revision, secret }) => ({
          revision,
          status: label(secret, releaseStatusLabel) ?? "",
        })),
        secrets: own
          .filter(({ revision }) => revision >= oldest)
          .map(({ secret }) => textAt(secret, "metadata", "name") ?? ""),
      },
    ];
  });
}
