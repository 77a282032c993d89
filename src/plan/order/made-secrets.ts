import { fieldOf, textAt } from "../../model/json.ts";
import type { DeclaredObject } from "../declared/objects.ts";

/**
 * `namespace/name` of the Secrets that a well-known operator makes of this object (docs/reference/deployment.md#implicit-dependencies): what
 * reads the Secret waits for its maker.
 */
export function madeSecrets({ id, object }: DeclaredObject): readonly string[] {
  const names: Readonly<Record<string, string | undefined>> = {
    "external-secrets.io/ExternalSecret": textAt(object, "spec", "target", "name") ?? id.name,
    "cert-manager.io/Certificate": textAt(object, "spec", "secretName"),
    // Its controller ignores any other name.
    "bitnami.com/SealedSecret": id.name,
  };
  const name = fieldOf(names, `${id.group}/${id.kind}`);
  return name === undefined ? [] : [`${id.namespace}/${name}`];
}
