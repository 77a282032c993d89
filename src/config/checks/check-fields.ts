import { addressError, headerError, pathError } from "../../model/address-rules.ts";
import { isDnsLabel } from "../../model/cluster/object-names.ts";
import type { CheckHeader, CheckTarget } from "../../model/deployments/deployment-checks.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import type { YamlEntry, YamlNode } from "../../model/sources/yaml-node.ts";
import { isSensitiveName } from "../../redaction/sensitive-name.ts";
import {
  anyMap,
  described,
  oneOf,
  optional,
  record,
  required,
  shape,
  text,
  type YamlShape,
  type YamlText,
} from "../yaml/shape.ts";

/** Matches a parameter reference in the JSON Schema, because its value is known only later. */
const orReference = "\\$\\(params\\.";

/** A number. A parameter can provide it as text. */
export const numeric: YamlShape<number> = shape(
  (node, name, problems) => {
    const value = node.kind === "scalar" && node.value !== "" ? Number(node.value) : Number.NaN;
    if (isNumber(node) && Number.isFinite(value)) return value;
    problems.push(
      invalidValue(node.where, `"${name}" isn't a number`, `Set "${name}" to a number`),
    );
    return undefined;
  },
  { anyOf: [{ type: "number" }, { type: "string", pattern: `^-?\\d|${orReference}` }] },
);

function isNumber(node: YamlNode): boolean {
  return (
    node.kind === "scalar" && (typeof node.value === "number" || typeof node.value === "string")
  );
}

const units = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

/** A duration in milliseconds, from 1 ms to 1 h. */
export const duration: YamlShape<number> = shape(
  (node, name, problems) => {
    const found = text(node, name, problems);
    if (found === undefined) return undefined;
    const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(found.value) ?? [];
    const milliseconds = Math.round(Number(amount) * (units.get(unit) ?? 0));
    if (milliseconds > 0 && milliseconds <= maxDurationMs) return milliseconds;
    const fix = "Write a number with ms, s or m, such as 500ms, 30s or 5m, up to 1h";
    problems.push(invalidValue(node.where, `"${name}" isn't a valid duration`, fix));
    return undefined;
  },
  { type: "string", pattern: `^\\d+(\\.\\d+)?(ms|s|m|h)$|${orReference}` },
);

const maxDurationMs = 3_600_000;

/** One status of HTTP, or a list of them. */
export const statuses: YamlShape<readonly number[]> = shape(
  (node, name, problems) => {
    const nodes = node.kind === "list" ? node.items : [node];
    const codes = nodes.map((each) => Number(each.kind === "scalar" ? each.value : Number.NaN));
    if (
      codes.length > 0 &&
      codes.every((code) => Number.isInteger(code) && code >= 100 && code < 600)
    )
      return codes;
    const fix = `Set "${name}" to a status such as 200, or to a list of them`;
    problems.push(invalidValue(node.where, `"${name}" isn't a status of HTTP`, fix));
    return undefined;
  },
  {
    anyOf: [
      { type: "integer", minimum: 100, maximum: 599 },
      { type: "string" },
      { type: "array", items: { type: ["integer", "string"] } },
    ],
  },
);

export function invalidValue(where: Position, what: string, fix: string): Problem {
  return { code: "invalid-check", where: [where], what, fix };
}

/** The fields that choose the server of a check. */
export const targetFields = {
  service: described("Service in the namespace of the deployment.", optional(text)),
  port: described("Number or name of the Service's port.", optional(text)),
  scheme: described("http or https. Default: http.", optional(oneOf(["http", "https"] as const))),
  path: described("Path with its query. Default: /.", optional(text)),
  url: described("Address instead of a Service, with http or https.", optional(text)),
};

interface WrittenTarget {
  readonly where: Position;
  readonly service: YamlText | undefined;
  readonly port: YamlText | undefined;
  readonly scheme: "http" | "https" | undefined;
  readonly path: YamlText | undefined;
  readonly url: YamlText | undefined;
}

/** Returns the server of a check. Reports a check with no server, or with two. */
export function readTarget(written: WrittenTarget, problems: Problem[]): CheckTarget | undefined {
  const { service, url, port, scheme, path, where } = written;
  const report = (at: Position, what: string, fix: string): undefined => {
    problems.push(invalidValue(at, what, fix));
  };
  if ((service === undefined) === (url === undefined))
    return report(where, "A check needs a Service or an address", 'Set either "service" or "url"');
  if (url !== undefined) {
    const extra = [port, path].find((each) => each !== undefined);
    if (extra !== undefined || scheme !== undefined)
      return report(
        extra?.where ?? where,
        "A check with an address has no other part",
        "Write the whole address in url",
      );
    const fix = addressError(url.value);
    return fix === undefined
      ? { type: "address", url: url.value }
      : report(url.where, "The address of a check isn't allowed", fix);
  }
  if (service === undefined) return undefined;
  if (!isDnsLabel(service.value))
    return report(service.where, `"${service.value}" isn't a name of a Service`, "Write its name");
  if (port === undefined) return report(where, "The Service has no port", 'Add "port:"');
  if (!isPort(port.value))
    return report(port.where, `"${port.value}" isn't a port`, "Write its number or name");
  const target = path?.value ?? "/";
  const pathFix = pathError(target);
  if (pathFix !== undefined)
    return report(path?.where ?? where, "The path of a check isn't allowed", pathFix);
  return {
    type: "service",
    service: service.value,
    port: port.value,
    scheme: scheme ?? "http",
    path: target,
  };
}

function isPort(port: string): boolean {
  const isNumber = /^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535;
  return isNumber || (/^[a-z0-9]([a-z0-9-]{0,13}[a-z0-9])?$/.test(port) && /[a-z]/.test(port));
}

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
