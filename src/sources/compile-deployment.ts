import { bindConfig, bindParams } from "../config/bind-config.ts";
import { type ParsedConfig, parseConfig } from "../config/parse-config.ts";
import {
  type GivenParam,
  paramsOf,
  parseInlineParams,
  parseParams,
} from "../config/parse-params.ts";
import { type ParameterOrigins, paramOrigins, secretParamValues } from "../config/secret-params.ts";
import type { CapabilityAnswer, Compilation, IrreproducibleField } from "../model/compilation.ts";
import type { DeletionHook } from "../model/deletion-hook.ts";
import { type Deployment, objectNamespace } from "../model/deployment.ts";
import type { DeploymentCheck } from "../model/deployment-checks.ts";
import {
  failed,
  ok,
  type Problem,
  type Result,
  resultProblems,
} from "../model/problems/problem.ts";
import type { InputConfig } from "../model/release.ts";
import type { CompileRequest } from "../ports/cue.ts";
import type { ConfigSource } from "../ports/world.ts";
import {
  asksCluster,
  type CapabilityRound,
  type CapabilitySource,
  checksVersion,
} from "./charts/capabilities.ts";
import { withAssumptions } from "./charts/capability-problems.ts";
import { withoutNameConflicts } from "./charts/deletion-hooks.ts";
import { compileInRounds, firstRound, type SettledRound } from "./charts/settle-capabilities.ts";
import { findInputFiles, readInputFiles } from "./input-files.ts";
import { missingFile } from "./missing-file.ts";
import { type OpenedModules, type OpenModule, openModules } from "./open-modules.ts";
import { findUndeclaredParams } from "./undeclared-params.ts";

/** The compilation of a deployment, and the input that a release records. */
export interface CompiledDeployment {
  readonly compilation: Compilation;
  readonly input: InputConfig;
  readonly checks: readonly DeploymentCheck[];
  /** The hooks that a deletion runs, in their order. */
  readonly deletionHooks: readonly DeletionHook[];
  /** The answers of the cluster that decided about the objects of charts. */
  readonly capabilities: readonly CapabilityAnswer[];
  /** The questions of charts that the cluster didn't answer. They block a deployment. */
  readonly unanswered: readonly Problem[];
}

/** A compilation or its errors. */
type CompileOutcome = Result<CompiledDeployment> & {
  /** Set if the cluster decides about the objects of a chart. */
  readonly asksCluster?: true | undefined;
  /** Set if the version of the cluster decides if a chart can be rendered. */
  readonly checksVersion?: true | undefined;
};

/**
 * The purpose of the manifests. Only manifests to show can come from the cache. A user who can
 * write to a cache, for example through a pull request, must not decide what qvs deploys.
 */
export type CompilePurpose = "show" | "deploy";

/**
 * The optional parts of a compilation: the origin of every field, or a check against the schemas of
 * the kinds.
 */
export type CompileParts = Pick<CompileRequest, "trace" | "check" | "kubernetes" | "definitions">;

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
): Promise<Result<BoundDeployment>> {
  const binding = { config: parsed, given, deployment, namespace, capabilities };
  const read = await readInputFiles(source, parsed, files, binding);
  const config = bindConfig(parsed, given, read.ok ? read.value.inputs : []);
  const opened = await openModules(source, parsed);
  if (!read.ok || !config.ok || !opened.ok)
    return failed([...resultProblems(read), ...resultProblems(config), ...resultProblems(opened)]);
  const modules = opened.value.modules.map((module) => module.root);
  const values = bindParams(parsed.params, given);
  const bound = values.ok ? values.value : new Map();
  const origins = paramOrigins(given, config.value);
  // The compiler doesn't read the checks, so they don't change the key of its cache.
  const { checks = [], ...compiled } = config.value;
  return ok({
    text,
    checks,
    notices: read.value.notices,
    irreproducible: read.value.irreproducible,
    deletionHooks: read.value.deletionHooks,
    request: { config: compiled, modules },
    opened: opened.value,
    params: Object.fromEntries(bound),
    origins,
    hides: secretParamValues(bound, origins),
  });
}

/**
 * Compiles a deployment to manifests. Its charts see the version and the APIs of `cluster`, with
 * those that the deployment itself defines.
 */
export async function compileDeployment(
  source: ConfigSource,
  deployment: Deployment,
  inline: readonly string[],
  purpose: CompilePurpose,
  parts: CompileParts = {},
  cluster?: CapabilitySource,
): Promise<CompileOutcome> {
  const read = await readDeployment(source, deployment, inline);
  if (!read.ok) return read;
  const rounds = await compileInRounds(
    (round) => compileOnce(source, deployment, read.value, { purpose, parts, round }),
    cluster,
    parts.kubernetes,
  );
  return rounds.type === "settled"
    ? settled(rounds.compiled, rounds.round, rounds)
    : { ...failed(rounds.problems), asksCluster: true };
}

function settled(
  compiled: Result<Omit<CompiledDeployment, "capabilities" | "unanswered">>,
  { asked }: CapabilityRound,
  { answers: capabilities, unanswered, notices }: SettledRound,
): CompileOutcome {
  const asks = {
    ...(asked.some(asksCluster) ? { asksCluster: true as const } : {}),
    ...(asked.some(checksVersion) ? { checksVersion: true as const } : {}),
  };
  if (!compiled.ok) {
    const problems = compiled.problems.map((each) => withAssumptions(each, notices));
    return { ...failed([...problems, ...unanswered]), ...asks };
  }
  const { compilation } = compiled.value;
  const warnings = [...compilation.warnings, ...notices];
  const value = { ...compiled.value, compilation: { ...compilation, warnings } };
  return { ...ok({ ...value, capabilities, unanswered }), ...asks };
}

interface CompileRound {
  readonly purpose: CompilePurpose;
  readonly parts: CompileParts;
  readonly round: CapabilityRound;
}

async function compileOnce(
  source: ConfigSource,
  deployment: Deployment,
  read: ReadDeployment,
  { purpose, parts, round }: CompileRound,
): Promise<Result<Omit<CompiledDeployment, "capabilities" | "unanswered">>> {
  const bound = await bindRead(source, read, round);
  if (!bound.ok) return bound;
  const { text, request, opened, params, origins, hides, checks, notices, irreproducible } =
    bound.value;
  const compiled = await evaluate(source, { ...request, ...parts }, purpose);
  if (!compiled.ok) return compiled;
  const inputs = await listFilesRead(source, deployment, opened, compiled.value.inputs);
  const hooks = withoutNameConflicts(
    bound.value.deletionHooks,
    compiled.value.resources.flatMap((each) => (each.type === "manifest" ? [each.object] : [])),
    objectNamespace(deployment),
  );
  const warnings = [...opened.notices, ...notices, ...hooks.notices, ...compiled.value.warnings];
  const { health } = compiled.value;
  const input = {
    ...{ config: text, params, modules: moduleCommits(opened.modules), ...origins },
    ...(health === undefined ? {} : { health }),
  };
  const found = irreproducible.length === 0 ? {} : { irreproducible };
  const compilation = { ...compiled.value, ...found, hides, warnings, inputs };
  return ok({ compilation, input, checks, deletionHooks: hooks.hooks });
}

function evaluate(
  { compiler }: ConfigSource,
  request: CompileRequest,
  purpose: CompilePurpose,
): Promise<Result<Compilation>> {
  switch (purpose) {
    case "show":
      return compiler.compileCached(request);
    case "deploy":
      return compiler.compile(request);
  }
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

function moduleCommits(modules: readonly OpenModule[]): InputConfig["modules"] {
  return modules.flatMap(({ reference, commit }) =>
    commit === undefined ? [] : [{ name: reference.name, commit }],
  );
}

/**
 * Returns all files that the compilation of a deployment reads, sorted. `compiled` contains the
 * files that the engine read.
 * The target of a link is included too.
 */
export async function listFilesRead(
  { tree }: ConfigSource,
  { params }: Deployment,
  { lock }: Pick<OpenedModules, "lock">,
  compiled: readonly string[],
): Promise<readonly string[]> {
  const read = new Set([...compiled, ...params, ...lock]);
  const paths = await Promise.all([...read].map((path) => tree.linkedPaths(path)));
  return [...new Set(paths.flat())].sort();
}
