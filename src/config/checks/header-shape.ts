import { headerError } from "../../model/address-rules.ts";
import type { CheckHeader } from "../../model/deployment-checks.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { YamlEntry, YamlNode } from "../../model/yaml-node.ts";
import { isSensitiveName } from "../../redaction/sensitive-name.ts";
import { anyMap, described, optional, record, required, shape, text } from "../yaml/shape.ts";
import { invalidValue } from "./check-values.ts";

const secretValue = record({
  secret: described("Name of a Secret in the namespace of the deployment.", required(text)),
  key: described("Key in the Secret.", required(text)),
  prefix: described("Text before the value, such as 'Bearer '.", optional(text)),
});

/** Headers by name. A value is a string, or the key of a Secret. */
export const headers = shape(readHeaders, {
  type: "object",
  additionalProperties: { anyOf: [text.schema, secretValue.schema] },
});

function readHeaders(
  node: YamlNode,
  name: string,
  problems: Problem[],
): readonly CheckHeader[] | undefined {
  const map = anyMap(node, name, problems);
  return map?.entries.flatMap((entry) => readHeader(entry, problems) ?? []);
}

function readHeader({ name, key, value }: YamlEntry, problems: Problem[]): CheckHeader | undefined {
  const fix = headerError(name);
  if (fix !== undefined) {
    problems.push(invalidValue(key.where, `A check can't send the header "${name}"`, fix));
    return undefined;
  }
  if (value.kind === "map") {
    const found = secretValue(value, name, problems);
    if (found === undefined) return undefined;
    const { secret, key: field, prefix } = found;
    const source = { name, secret: secret.value, key: field.value };
    return prefix === undefined ? source : { ...source, prefix: prefix.value };
  }
  const found = text(value, name, problems);
  if (found === undefined) return undefined;
  if (isCredential(name) || !/^[\t\x20-\x7e]*$/.test(found.value)) {
    const what = isCredential(name)
      ? `The header "${name}" contains a credential`
      : `The header "${name}" has a character that isn't printable ASCII`;
    problems.push(invalidValue(value.where, what, "Write {secret: NAME, key: KEY}"));
    return undefined;
  }
  return { name, value: found.value };
}

/** Reports whether a value of the header must be in a Secret. */
function isCredential(name: string): boolean {
  return /^(?:authorization|cookie)$/i.test(name) || isSensitiveName(name);
}
