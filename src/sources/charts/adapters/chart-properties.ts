import { parseRemoteChart } from "../../../config/inputs/remote-chart.ts";
import {
  at,
  fieldOf,
  isEmpty,
  isList,
  isObject,
  type Json,
  type JsonObject,
  textAt,
} from "../../../model/json.ts";
import {
  failed,
  ok,
  type Position,
  type Problem,
  type Result,
} from "../../../model/problems/problem.ts";
import type { PlacedChart } from "../../../model/sources/remote-chart.ts";
import { suggestClosest } from "../../../model/text/suggest.ts";
import { propertyGroups, propertyRules } from "./property-rules.ts";

/** The properties of a chart that an adapter declares. */
export interface ChartProperties {
  readonly chart: PlacedChart;
  readonly release: string;
  /** Undefined for the namespace of the deployment. */
  readonly namespace: string | undefined;
  readonly values: JsonObject;
  readonly kubeVersion: string | undefined;
  readonly apiVersions: readonly string[] | undefined;
  /** False if the files in `crds/` are left out. */
  readonly crds: boolean;
  readonly notices: readonly Problem[];
}

/** The resource of an adapter. */
interface WrittenResource {
  readonly stage: string;
  readonly id: string;
  readonly content: JsonObject;
  readonly where: Position;
}

/** The types of resources with properties. Without a type, the options are in the resource. */
const types: readonly string[] = [
  "kubernetes:helm.sh/v3:Chart",
  "kubernetes:helm.sh/v3:Release",
  "kubernetes:helm.sh/v4:Chart",
];

/** Adds the name of the resource to a problem of its chart. */
export function withResource(
  problem: Problem,
  { stage, id }: Pick<WrittenResource, "stage" | "id">,
): Problem {
  const fact = { label: "resource", value: `${stage}/${id}` };
  return { ...problem, facts: [...(problem.facts ?? []), fact] };
}

/** Returns the options of Pulumi for a resource, such as `dependsOn`. */
export function resourceOptions(content: JsonObject): JsonObject {
  const options = content["options"];
  return isObject(options) ? options : {};
}

/** Reports whether a resource has a type and properties, so that `${id.path}` is a reference. */
export function isTyped(content: JsonObject): boolean {
  return Object.hasOwn(content, "type");
}

/**
 * Reads the properties of a resource with the provider `kubernetes-helm`
 * (docs/reference/adapters.md#charts). It reports all properties that qvs can't honor.
 */
export function readChartProperties(resource: WrittenResource): Result<ChartProperties> {
  const { content, where, id } = resource;
  const reader = new PropertyReader(resource);
  if (isTyped(content) && !types.includes(textAt(content, "type") ?? ""))
    return failed([typeProblem(resource)]);
  const properties = isTyped(content) ? reader.typedProperties(content) : withoutMeta(content);
  reader.checkNames(properties);
  reader.checkOptions(content);
  const repo = reader.text(properties, "repositoryOpts.repo", "fetchOpts.repo");
  const version = reader.text(properties, "version", "fetchOpts.version");
  const chart = reader.text(properties, "chart");
  if (chart === undefined) reader.missing("chart");
  const placed = (value: string | undefined) =>
    value === undefined ? undefined : { value, where };
  const problems: Problem[] = [];
  const source =
    chart === undefined
      ? undefined
      : parseRemoteChart(
          { chart: { value: chart, where }, repo: placed(repo), version: placed(version) },
          problems,
        );
  if (source === "local") problems.push(localProblem(chart ?? "", where));
  const named = problems.map((problem) => withResource(problem, resource));
  const values = reader.object(properties, "values");
  const isRelease = textAt(content, "type") === "kubernetes:helm.sh/v3:Release";
  const keepsNull = !isRelease || reader.flag(properties, "allowNullValues");
  const read = {
    release: reader.text(properties, "name", "releaseName") ?? id.slice(id.lastIndexOf("/") + 1),
    namespace: reader.text(properties, "namespace"),
    values: keepsNull ? values : (withoutNull(values) as JsonObject),
    kubeVersion: reader.text(properties, "kubeVersion"),
    apiVersions: reader.texts(properties, "apiVersions"),
    crds: !reader.flag(properties, "skipCrds") && !reader.flag(properties, "skipCRDRendering"),
    notices: [...reader.ignoredProperties(), ...ignoredOptions(resource)],
  };
  const all = [...named, ...reader.problems];
  if (all.length > 0 || source === undefined || source === "local") return failed(all);
  return ok({ ...read, chart: source });
}

const notHonored = "isn't supported";

/** The maximum number of messages about the names of one resource. */
export const maxMessages = 20;

/** Collects the problems of the properties of one resource. */
class PropertyReader {
  readonly problems: Problem[] = [];
  readonly #ignored = new Map<string, string>();
  readonly #resource: WrittenResource;

  constructor(resource: WrittenResource) {
    this.#resource = resource;
  }

  /**
   * Returns the properties of a resource with a type. It reports fields next to them, which Pulumi
   * doesn't know.
   */
  typedProperties(content: JsonObject): JsonObject {
    const { type: _type, properties = {}, ...others } = withoutMeta(content);
    for (const name of Object.keys(others).slice(0, maxMessages))
      this.#report(name, "is outside of properties", "Move it into properties, or remove it");
    if (isObject(properties)) return properties;
    this.#report("properties", "isn't an object", "Write it as an object");
    return {};
  }

  /** Reports the options of the resource that qvs can't honor. */
  checkOptions(content: JsonObject): void {
    const written = fieldOf(content, "options") ?? {};
    if (!isObject(written)) this.#report("options", "isn't an object", "Write it as an object");
    for (const [name, value] of Object.entries(resourceOptions(content))) {
      const fix = rejectedOptions.get(name);
      if (fix !== undefined && !isUnset(value)) this.#report(`options.${name}`, notHonored, fix);
    }
  }

  /** Applies the rules to the properties that are set. */
  checkNames(properties: JsonObject): void {
    for (const [name, value] of Object.entries(properties)) {
      if (!propertyGroups.has(name)) this.#check(name, value);
      else if (isObject(value))
        for (const [part, each] of Object.entries(value)) this.#check(`${name}.${part}`, each);
      else this.#report(name, "isn't an object", "Write it as an object");
    }
  }

  /** Returns the value of a property that has several names. All of them must agree. */
  text(properties: JsonObject, ...names: readonly string[]): string | undefined {
    const found = names.flatMap((name) => {
      const value = at(properties, ...name.split("."));
      if (value === undefined || value === null || value === "") return [];
      if (typeof value === "string") return [{ name, value }];
      this.#report(name, "isn't a string", "Write it as a string");
      return [];
    });
    const [first, ...others] = found;
    for (const { name, value } of others)
      if (value !== first?.value)
        this.#report(name, `differs from ${first?.name}`, "Remove one of the two");
    return first?.value;
  }

  texts(properties: JsonObject, name: string): readonly string[] | undefined {
    const value = fieldOf(properties, name);
    if (value === undefined || value === null) return undefined;
    if (isList(value) && value.every((each) => typeof each === "string")) return value as string[];
    this.#report(name, "isn't a list of strings", "Write it as a list of strings");
    return undefined;
  }

  object(properties: JsonObject, name: string): JsonObject {
    const value = fieldOf(properties, name) ?? {};
    if (isObject(value)) return value;
    this.#report(name, "isn't an object", "Write it as an object");
    return {};
  }

  flag(properties: JsonObject, name: string): boolean {
    const value = fieldOf(properties, name) ?? false;
    if (typeof value === "boolean") return value;
    this.#report(name, "isn't a boolean", "Write true or false");
    return false;
  }

  missing(name: string): void {
    this.#report(name, "isn't set", "Set it in the adapter");
  }

  ignoredProperties(): readonly Problem[] {
    if (this.#ignored.size === 0) return [];
    const { stage, id, where } = this.#resource;
    return [
      {
        code: "chart-properties-ignored",
        where: [where],
        what: `Resource ${stage}/${id} has properties that have no effect`,
        facts: [...this.#ignored].sort().map(([name, why]) => ({ label: name, value: why })),
        fix: "Remove them from the adapter, or leave them: they change no object",
      },
    ];
  }

  #check(name: string, value: Json): void {
    if (this.problems.length >= maxMessages) return;
    const rule = propertyRules.get(name);
    if (rule === undefined) this.problems.push(this.#unknown(name));
    else if (rule.type === "used" || isUnset(value)) return;
    else if (rule.type === "without-effect") this.#ignored.set(name, rule.why);
    else this.#report(name, notHonored, rule.fix, rule.why);
  }

  #report(name: string, fact: string, fix: string, why?: string): void {
    const { stage, id, where } = this.#resource;
    this.problems.push({
      code: "unsupported-chart-property",
      where: [where],
      what: `Resource ${stage}/${id}: ${name} ${fact}`,
      ...(why === undefined ? {} : { why }),
      fix,
    });
  }

  #unknown(name: string): Problem {
    const { stage, id, where } = this.#resource;
    return {
      code: "unknown-field",
      where: [where],
      what: `Resource ${stage}/${id} has the unknown property "${name}"`,
      ...suggestClosest(name, propertyRules.keys(), "Remove it from the adapter"),
    };
  }
}

/** Reports whether a value is the one that Pulumi assumes for a property that isn't set. */
function isUnset(value: Json): boolean {
  return value === false || value === 0 || value === "" || value === null || isEmpty(value);
}

/** Removes null, as Pulumi does for a `Release` without `allowNullValues`. */
function withoutNull(value: Json): Json {
  if (isList(value)) return value.filter((each) => each !== null).map(withoutNull);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(fields.map(([name, each]) => [name, withoutNull(each)]));
}

/** The fields of every resource, which aren't options of the chart. */
function withoutMeta(content: JsonObject): JsonObject {
  const { provider: _provider, output: _output, options: _options, ...options } = content;
  return options;
}

function typeProblem({ stage, id, content, where }: WrittenResource): Problem {
  return {
    code: "unsupported-chart-property",
    where: [where],
    what: `Resource ${stage}/${id} has a type that isn't a chart`,
    ...suggestClosest(textAt(content, "type") ?? "", types, `Write ${types.join(" or ")}`),
  };
}

function localProblem(chart: string, where: Position): Problem {
  return {
    code: "invalid-chart-source",
    where: [where],
    what: `Chart "${chart}" has no repository`,
    why: "An adapter can't use files of this repository, and qvs doesn't read the repository names of Helm",
    fix: "Write the address of its Helm repository in repositoryOpts.repo or fetchOpts.repo",
    otherwise: [
      "write the chart as oci://HOST/PATH/NAME",
      "name a chart of this repository in an entry `helm:` of the config",
    ],
  };
}

/** Options of Pulumi that qvs honors, and those that only describe how Pulumi reaches a cluster. */
const knownOptions: ReadonlySet<string> = new Set([
  ...["dependsOn", "provider", "providers", "version", "pluginDownloadURL", "parent"],
]);

/** Options whose absence would delete objects, or give other objects. */
const rejectedOptions: ReadonlyMap<string, string> = new Map([
  ["protect", "Let an adapter add vs.axis-dev.io/keepOnDelete to the objects of the chart"],
  ["retainOnDelete", "Let an adapter add vs.axis-dev.io/keepOnDelete to the objects of the chart"],
  ["transformations", "Let an adapter add the fields to the objects of the chart by their ids"],
  ["transforms", "Let an adapter add the fields to the objects of the chart by their ids"],
]);

function ignoredOptions({ stage, id, content, where }: WrittenResource): readonly Problem[] {
  const ignored = Object.keys(resourceOptions(content)).filter(
    (name) => !knownOptions.has(name) && !rejectedOptions.has(name),
  );
  if (ignored.length === 0) return [];
  return [
    {
      code: "pulumi-options-ignored",
      where: [where],
      what: `Resource ${stage}/${id} has options that have no effect`,
      facts: [{ label: "options", value: ignored.sort().join(", ") }],
      why: "qvs applies the resource without Pulumi",
      fix: "Use the annotations vs.axis-dev.io/keepOnDelete and vs.axis-dev.io/ignore-changes",
    },
  ];
}
