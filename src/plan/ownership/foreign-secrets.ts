import { scalarTexts } from "../../model/apply-time-reference.ts";
import type { KubeObject } from "../../model/object.ts";
import { canContainSecrets } from "../../redaction/sensitive-object.ts";
import { objectSecrets } from "../../redaction/sensitive-values.ts";
import { pickFields } from "../../ssa/field-sets.ts";
import { deploymentFields } from "../../ssa/managed-fields.ts";

/**
 * Returns the strings of a live object that another field manager wrote, that can be secrets and
 * that aren't known, such as the variable `DB_PASSWORD` after `kubectl set env`. No file of the
 * repository contains them. Secrets have their own rules.
 */
export function foreignSecrets(
  live: KubeObject | undefined,
  deployment: string,
  known: ReadonlySet<string>,
): ReadonlySet<string> {
  if (live === undefined || canContainSecrets(live)) return new Set();
  const secrets = objectSecrets(live, known);
  if (secrets.length === 0) return new Set();
  const fields = deploymentFields(live, deployment);
  const own = Object.keys(fields).length === 0 ? undefined : pickFields(live, fields);
  return new Set(secrets).difference(new Set(own === undefined ? [] : scalarTexts(own)));
}
