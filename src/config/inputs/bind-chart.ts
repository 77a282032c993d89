import { isList, isObject, type Json } from "../../model/json.ts";
import { failed, ok, type Problem, type Result } from "../../model/problems/problem.ts";
import type { BoundParam } from "../../model/sources/config.ts";
import type { YamlMap, YamlNode } from "../../model/sources/yaml-node.ts";
import { isSensitiveName } from "../../redaction/sensitive-name.ts";
import { bindName, bindParams, inlineNames } from "../bind-config.ts";
import { BoundScope } from "../bound-scope.ts";
import { findParamReferences } from "../param-references.ts";
import type { ParsedConfig } from "../parse-config.ts";
import type { GivenParam } from "../parse-params.ts";
import { type Scope, substitute } from "../substitute.ts";
import { readManifestYaml } from "../yaml/read.ts";
import { ParamUses } from "./bind-input.ts";
import type { ChartParams, ParsedChart } from "./parsed-input.ts";

/** Everything that a chart is rendered with, with `$(params.…)` replaced. */
export interface BoundChart extends ChartParams {
  readonly release: string;
  readonly namespace: string;
  readonly values: readonly ValuesText[];
  readonly set: readonly { readonly path: string; readonly value: Json }[];
  readonly kubeVersion: string | undefined;
  readonly apiVersions: readonly string[] | undefined;
}

/** A values file, by its path from the root of the repository. */
export interface ValuesText {
  readonly name: string;
  readonly text: string;
}

interface ParamContext {
  readonly config: Pick<ParsedConfig, "params">;
  readonly given: readonly GivenParam[];
  /** The namespace of the deployment, for an entry without one. */
  readonly namespace: string;
}

/**
 * Replaces `$(params.…)` in the values of a chart. `texts` contains its values files. A file
 * without a reference keeps its text, so that Helm reads exactly the text of the user.
 */
export function bindChart(
  chart: ParsedChart,
  texts: readonly ValuesText[],
  { config, given, namespace }: ParamContext,
): Result<BoundChart> {
  const params = bindParams(config.params, given);
  const bound: ReadonlyMap<string, Json> = params.ok ? params.value : new Map();
  const problems = new BoundScope(config.params, given, bound);
  const uses = new ParamUses(inlineNames(given));
  const scope = uses.recording(problems);
  const secretParams = new Set<string>();
  const named = (key: string, node: YamlNode) => bindName(key, node, scope);
  const values = texts.map((each) => bindValues(each, scope, secretParams));
  const set = chart.set === undefined ? [] : bindSet(chart.set, scope, secretParams);
  const result: BoundChart = {
    release: named("release", chart.release),
    namespace: chart.namespace === undefined ? namespace : named("namespace", chart.namespace),
    ...{ values, set },
    kubeVersion:
      chart.kubeVersion === undefined ? undefined : named("kubeVersion", chart.kubeVersion),
    apiVersions: bindApiVersions(chart.apiVersions, scope),
    params: withoutRepeated(uses.params()),
    secretParams: [...new Set([...secretParams, ...sensitiveNames(uses.params())])].sort(),
  };
  const all = [...(params.ok ? [] : params.problems), ...problems.problems];
  return all.length > 0 ? failed(all) : ok(result);
}

function bindValues(file: ValuesText, scope: Scope, secretParams: Set<string>): ValuesText {
  if (findParamReferences(file.text).length === 0) return file;
  const read = readManifestYaml(file.name, file.text);
  if (!read.ok) {
    for (const problem of read.problems) scope.report(problem);
    return file;
  }
  // Helm merges the documents of a file.
  const documents = read.value.map((node) => JSON.stringify(replaceIn(node, scope, secretParams)));
  return { name: file.name, text: documents.join("\n---\n") };
}

function bindSet(set: YamlMap, scope: Scope, secretParams: Set<string>): BoundChart["set"] {
  const value = replaceIn(set, scope, secretParams);
  return isObject(value)
    ? Object.entries(value).map(([path, each]) => ({ path, value: each }))
    : [];
}

/** Returns the value of a node. It notes the parameters below names such as `password`. */
function replaceIn(node: YamlNode, scope: Scope, secretParams: Set<string>): Json {
  const { value, places } = substitute(node, scope);
  for (const { path, from = [] } of places) {
    const names = path.flatMap((name) => name.split("."));
    if (names.some(isSensitiveName)) for (const name of from) secretParams.add(name);
  }
  return value;
}

function bindApiVersions(node: YamlNode | undefined, scope: Scope): readonly string[] | undefined {
  if (node === undefined) return undefined;
  const { value, from } = substitute(node, scope);
  if (isList(value) && value.every((each) => typeof each === "string" && each !== ""))
    return value as readonly string[];
  // A reference without a value is already reported.
  if (value === null && from.length > 0) return [];
  scope.report(apiVersionsProblem(node));
  return [];
}

function apiVersionsProblem({ where }: YamlNode): Problem {
  return {
    code: "wrong-type",
    where: [where],
    what: `"apiVersions" isn't a list of strings`,
    fix: "Write [monitoring.coreos.com/v1], or [apps/v1/Deployment] for a kind",
  };
}

function sensitiveNames(params: readonly BoundParam[]): readonly string[] {
  return params.map(({ name }) => name).filter(isSensitiveName);
}

function withoutRepeated(params: readonly BoundParam[]): readonly BoundParam[] {
  return [...new Map(params.map((param) => [param.name, param])).values()];
}
