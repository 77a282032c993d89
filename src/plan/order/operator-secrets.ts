import { fieldOf, textAt } from "../../model/json.ts";
import type { DeclaredObject } from "../declared/objects.ts";

/**
 * Lists the Secrets that a well-known operator creates from this object, as `namespace/name`.
 * Objects that read such a Secret wait for this object
 * (docs/reference/deployment.md#implicit-dependencies).
 */
export function operatorSecrets({ id, object }: DeclaredObject): readonly string[] {
  const names: Readonly<Record<string, string | undefined>> = {
    "external-secrets.io/ExternalSecret": textAt(object, "spec", "target", "name") ?? id.name,
    "cert-manager.io/Certificate": textAt(object, "spec", "secretName"),
    // The controller of SealedSecrets ignores any other name.
    "bitnami.com/SealedSecret": id.name,
  };
  const name = fieldOf(names, `${id.group}/${id.kind}`);
  return name === undefined ? [] : [`${id.namespace}/${name}`];
}
