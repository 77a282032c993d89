import { bindConfig, bindParams } from "../config/bind-config.ts";
import type { ReadInput } from "../config/inputs/parsed-input.ts";
import { type ParsedConfig, parseConfig } from "../config/parse-config.ts";
import {
  type GivenParam,
  paramsOf,
  parseInlineParams,
  parseParams,
} from "../config/parse-params.ts";
import { type Deployment, objectNamespace } from "../model/deployments/deployment.ts";
import type { DeploymentCheck } from "../model/deployments/deployment-checks.ts";
import type { InputConfig } from "../model/deployments/release.ts";
import type { Json } from "../model/json.ts";
import type { DeletionHook } from "../model/plan/deletion.ts";
import {
  failed,
  ok,
  type Problem,
  type Result,
  resultProblems,
} from "../model/problems/problem.ts";
import type { IrreproducibleField } from "../model/sources/compilation.ts";
import type { Config, ObjectInput } from "../model/sources/config.ts";
import type { LockedSource } from "../model/sources/locked-source.ts";
import type { CompileRequest } from "../ports/cue.ts";
import type { ConfigSource } from "../ports/world.ts";
import { secretParamForms } from "../redaction/scrub.ts";
import { isSensitiveName } from "../redaction/sensitive-name.ts";
import { isSensitiveObject, secretSources } from "../redaction/sensitive-object.ts";
import { isSensitiveValue } from "../redaction/sensitive-values.ts";
import type { CapabilityRound } from "./charts/capabilities.ts";
import type { RenderedEntry } from "./charts/render-chart.ts";
import { firstRound } from "./charts/settle-capabilities.ts";
import type { RepeatableChart } from "./charts/value-origins.ts";
import { findInputFiles, type InputParts, readInputFiles } from "./input-files.ts";
import { missingFile } from "./missing-file.ts";
import { type OpenedModules, openModules } from "./open-modules.ts";
import { findUndeclaredParams } from "./undeclared-params.ts";

/** A deployment's config with its values and modules: the complete input of the engine. */
export interface BoundDeployment {
  readonly text: string;
  readonly request: CompileRequest;
  readonly opened: OpenedModules;
  readonly params: InputConfig["params"];
  readonly origins: ParameterOrigins;
  readonly hides: readonly string[];
  readonly checks: readonly DeploymentCheck[];
  /** The warnings of the renderer. */
  readonly notices: readonly Problem[];
  readonly irreproducible: readonly IrreproducibleField[];
  readonly deletionHooks: readonly DeletionHook[];
  /** The modules, charts and remote bases of the lockfile. */
  readonly locked: readonly LockedSource[];
  /** The charts of the config, for renderings with other values. */
  readonly charts: readonly RepeatableChart[];
  /** The objects of the entries of the config that name files. */
  readonly inputs: readonly ReadInput[];
}

/** The config and params of a deployment before any module is opened. */
export interface ReadDeployment {
  readonly text: string;
  readonly parsed: ParsedConfig;
  readonly given: readonly GivenParam[];
  /** The name of the deployment. */
  readonly deployment: string;
  /** The namespace of objects that don't declare one. */
  readonly namespace: string;
  /** The files of each of the config's `fileEntries`. */
  readonly files: readonly (readonly string[])[];
}

/**
 * Reads the config and params. `inline` contains the values of `--param NAME=VALUE`.
 */
export async function readDeployment(
  source: ConfigSource,
  deployment: Deployment,
  inline: readonly string[],
): Promise<Result<ReadDeployment>> {
  const text = await source.tree.read(deployment.config);
  if (text === undefined) {
    return failed([await missingFile(source.tree, "config", deployment.config, deployment.name)]);
  }
  const parsed = parseConfig(deployment.config, text);
  const given = await readParams(source, deployment, inline);
  if (!parsed.ok || !given.ok) return failed([...resultProblems(parsed), ...resultProblems(given)]);
  const unknown = await findUndeclaredParams(source, parsed.value, given.value);
  const files = await findInputFiles(source.tree, parsed.value);
  if (unknown.length > 0 || !files.ok) return failed([...unknown, ...resultProblems(files)]);
  const withChecks = addChecks(parsed.value, deployment);
  const own = { deployment: deployment.name, namespace: objectNamespace(deployment) };
  return ok({ text, parsed: withChecks, given: given.value, ...own, files: files.value });
}

/** Adds the checks of the entry, so that they can use the parameters of the config. */
function addChecks(parsed: ParsedConfig, { checks }: Deployment): ParsedConfig {
  return checks === undefined ? parsed : { ...parsed, checks: [...(parsed.checks ?? []), checks] };
}

/** Binds the config and opens the modules. The charts see `capabilities`. */
export async function bindRead(
  source: ConfigSource,
  { text, parsed, given, deployment, namespace, files }: ReadDeployment,
  capabilities: CapabilityRound = firstRound(),
  parts: InputParts = { origins: false },
): Promise<Result<BoundDeployment>> {
  const binding = { config: parsed, given, deployment, namespace, capabilities };
  const read = await readInputFiles(source, parsed, files, binding, parts);
  const config = bindConfig(parsed, given, read.ok ? read.value.inputs : []);
  const opened = await openModules(source, parsed);
  if (!read.ok || !config.ok || !opened.ok)
    return failed([...resultProblems(read), ...resultProblems(config), ...resultProblems(opened)]);
  const modules = opened.value.modules.map((module) => module.root);
  const ofModules = opened.value.modules.flatMap(({ locked }) => locked ?? []);
  const locked = [...ofModules, ...read.value.locked];
  const bound = { text, opened: opened.value, ...read.value, locked };
  return ok({ ...bound, ...bindRequest({ parsed, given }, config.value, modules) });
}

/** Returns the request of a bound config, and the values that must be hidden. */
function bindRequest(
  { parsed, given }: Pick<ReadDeployment, "parsed" | "given">,
  config: Config,
  modules: CompileRequest["modules"],
  secretParams: readonly string[] = [],
): Pick<BoundDeployment, "checks" | "request" | "params" | "origins" | "hides"> {
  const values = bindParams(parsed.params, given);
  const bound = values.ok ? values.value : new Map();
  const { inline, secret } = paramOrigins(given, config);
  const origins = { inline, secret: [...new Set([...secret, ...secretParams])].sort() };
  // The compiler doesn't read the checks, so they don't change the key of its cache.
  const { checks = [], ...compiled } = config;
  return {
    checks,
    request: { config: compiled, modules },
    params: Object.fromEntries(bound),
    origins,
    hides: secretParamValues(bound, origins),
  };
}

/** Hides the values of parameters that are secrets in charts of adapters. */
export function hideParams(
  read: ReadDeployment,
  bound: BoundDeployment,
  secretParams: readonly string[],
): BoundDeployment {
  const { request, checks } = bound;
  const config = { ...request.config, checks };
  return { ...bound, ...bindRequest(read, config, request.modules, secretParams) };
}

/** Adds the objects of the charts of adapters to the input of the engine. */
export function addCharts(
  read: ReadDeployment,
  bound: BoundDeployment,
  rendered: RenderedEntry,
): Result<BoundDeployment> {
  const inputs = [...bound.inputs, ...rendered.inputs];
  const config = bindConfig(read.parsed, read.given, inputs);
  if (!config.ok) return config;
  return ok({
    ...bound,
    ...bindRequest(read, config.value, bound.request.modules, bound.origins.secret),
    inputs,
    notices: [...bound.notices, ...rendered.notices],
    irreproducible: [...bound.irreproducible, ...rendered.irreproducible],
    deletionHooks: [...bound.deletionHooks, ...rendered.deletionHooks],
    locked: [...bound.locked, ...rendered.locked],
  });
}

async function readParams(
  source: ConfigSource,
  deployment: Deployment,
  inline: readonly string[],
): Promise<Result<readonly GivenParam[]>> {
  const files = deployment.params.map(async (file) => {
    const text = await source.tree.read(file);
    return text === undefined
      ? failed<readonly GivenParam[]>([
          await missingFile(source.tree, "parameter file", file, deployment.name),
        ])
      : parseParams(file, text);
  });
  const ofEnvironment = deployment.environmentOf?.params;
  const given = ok(ofEnvironment === undefined ? [] : paramsOf(ofEnvironment));
  const all = [...(await Promise.all(files)), given, parseInlineParams(inline)];
  const problems = all.flatMap(resultProblems);
  return problems.length > 0
    ? failed(problems)
    : ok(all.flatMap((one) => (one.ok ? one.value : [])));
}

/** The names of parameters by their origin, as a release contains them. */
interface ParameterOrigins {
  /** Given on the command line. */
  readonly inline: readonly string[];
  /** Passed to arguments of adapters with sensitive names. */
  readonly secret: readonly string[];
}

/**
 * Returns the origins of parameters. A release records them, so that later outputs hide the same
 * values as previews.
 */
export function paramOrigins(
  given: readonly GivenParam[],
  { designPatterns, inputs = [] }: Pick<Config, "designPatterns" | "inputs">,
): ParameterOrigins {
  const last = new Map(given.map(({ name, origin }) => [name, origin]));
  const inline = [...last].filter(([, origin]) => origin === "inline").map(([name]) => name);
  const uses = designPatterns.flatMap(({ params }) => params);
  const secret = [
    ...uses
      .filter(({ name, value }) => isSensitiveName(name) && isSensitiveValue(name, value))
      .flatMap(({ from }) => from),
    ...inputs.flatMap(({ objects }) => objects.flatMap(secretSources)),
    ...inputs.flatMap(chartSecrets),
  ];
  return { inline: inline.sort(), secret: [...new Set(secret)].sort() };
}

/**
 * Returns the parameters of a chart that its values name as secrets, and those whose value is in a
 * rendered Secret.
 */
function chartSecrets({ secretParams, params, objects }: ObjectInput): readonly string[] {
  if (secretParams === undefined) return [];
  const secrets = objects.filter(({ object }) => isSensitiveObject(object));
  const text = secrets.map(({ object }) => JSON.stringify(object)).join("\n");
  const inSecret = params.filter(({ value }) => isContained(value, text)).map(({ name }) => name);
  return [...secretParams, ...inSecret];
}

function isContained(value: Json, text: string): boolean {
  if (typeof value !== "string" || value === "") return false;
  const encoded = Buffer.from(value).toString("base64");
  return text.includes(JSON.stringify(value).slice(1, -1)) || text.includes(encoded);
}

/**
 * Returns the values from the command line that are passed to arguments with sensitive names, in
 * the forms in which manifests contain them.
 * Such a value often comes from a secret store and isn't in any file of the repository, so no
 * output must contain it.
 */
export function secretParamValues(
  values: ReadonlyMap<string, Json>,
  origins: ParameterOrigins,
): readonly string[] {
  const inline = [...values].filter(([name]) => origins.inline.includes(name));
  return secretParamForms(Object.fromEntries(inline), origins);
}
