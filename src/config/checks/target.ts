import { addressError, pathError } from "../../model/address-rules.ts";
import { isDnsLabel } from "../../model/cluster/object-names.ts";
import type { CheckTarget } from "../../model/deployment-checks.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import { described, oneOf, optional, text, type YamlText } from "../yaml/shape.ts";
import { invalidValue } from "./check-values.ts";

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
