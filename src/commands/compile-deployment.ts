import { bindConfig } from "../config/bind.ts";
import { bindParams } from "../config/bind-params.ts";
import { parseConfig } from "../config/parse-config.ts";
import { parseInlineParams } from "../config/parse-inline-params.ts";
import { type GivenParam, parseParams } from "../config/parse-params.ts";
import { closest } from "../model/closest.ts";
import type { Compilation } from "../model/compilation.ts";
import type { Config, ModuleReference } from "../model/config.ts";
import type { Deployment } from "../model/deployment.ts";
import { failed, ok, type Problem, type Result } from "../model/problem.ts";
import type { InputConfig } from "../model/release.ts";
import type { ModuleRoot } from "../ports.ts";
import { catchProblems } from "./catch-problems.ts";
import type { Source } from "./world.ts";

/** What a deployment compiles to, with what the release record says of its input. */
export interface CompiledDeployment {
  readonly compilation: Compilation;
  readonly input: InputConfig;
}

/** Config and params → bound config → modules → manifests. `inline` is what `--param NAME=VALUE` gave. */
export async function compileDeployment(
  source: Source,
  deployment: Deployment,
  inline: readonly string[],
): Promise<Result<CompiledDeployment>> {
  const text = await source.tree.read(deployment.config);
  if (text === undefined) return failed([missingFile(deployment.config, "QVS config")]);
  const parsed = parseConfig(deployment.config, text);
  const given = await readParams(source, deployment, inline);
  if (!parsed.ok || !given.ok) return failed([...problemsOf(parsed), ...problemsOf(given)]);
  const config = bindConfig(parsed.value, given.value);
  const modules = await openModules(source, config.ok ? config.value : parsed.value);
  if (!config.ok || !modules.ok) return failed([...problemsOf(config), ...problemsOf(modules)]);
  const roots = modules.value.map((module) => module.root);
  const compiled = await source.compiler.compile({ config: config.value, modules: roots });
  if (!compiled.ok) return compiled;
  const values = bindParams(parsed.value.params, given.value);
  const params = Object.fromEntries(values.ok ? values.value : []);
  const input = { config: text, params, modules: commitsOf(modules.value) };
  const inputs = await filesRead(source, compiled.value, deployment);
  return ok({ compilation: { ...compiled.value, inputs }, input });
}

async function readParams(
  source: Source,
  deployment: Deployment,
  inline: readonly string[],
): Promise<Result<readonly GivenParam[]>> {
  const files = deployment.params.map(async (file) => {
    const text = await source.tree.read(file);
    return text === undefined
      ? failed<readonly GivenParam[]>([missingFile(file, "params file")])
      : parseParams(file, text);
  });
  const all = [...(await Promise.all(files)), parseInlineParams(inline)];
  const problems = all.flatMap(problemsOf);
  return problems.length > 0
    ? failed(problems)
    : ok(all.flatMap((one) => (one.ok ? one.value : [])));
}

interface OpenModule {
  readonly reference: ModuleReference;
  readonly root: ModuleRoot;
  /** undefined for a folder of this repository. */
  readonly commit: string | undefined;
}

async function openModules(
  source: Source,
  config: Pick<Config, "modules">,
): Promise<Result<readonly OpenModule[]>> {
  const opened = await Promise.all(config.modules.map((module) => openModule(source, module)));
  const problems = opened.flatMap(problemsOf);
  return problems.length > 0
    ? failed(problems)
    : ok(opened.flatMap((one) => (one.ok ? [one.value] : [])));
}

async function openModule(source: Source, reference: ModuleReference): Promise<Result<OpenModule>> {
  if (reference.source.from === "local") {
    const { path } = reference.source;
    const folder = await catchProblems(() => source.tree.folder(path));
    if (!folder.ok) {
      const guess = await nearModule(source, path);
      return failed(folder.problems.map((problem) => placed({ ...problem, ...guess }, reference)));
    }
    const root = { path: undefined, display: path === "" ? "" : `${path}/`, files: folder.value };
    return ok({ reference, root, commit: undefined });
  }
  const { repo, revision } = reference.source;
  const fetched = await source.modules.fetch(repo, revision);
  if (!fetched.ok) return failed(fetched.problems.map((problem) => placed(problem, reference)));
  const { commit, files } = fetched.value;
  const root = { path: undefined, display: `${reference.name}@${revision}/`, files };
  return ok({ reference, root, commit });
}

/** The local module that was probably meant; nothing when none is near. */
async function nearModule(
  { tree }: Source,
  path: string,
): Promise<Pick<Problem, "fix"> | undefined> {
  const files = await tree.list(["cue.mod/module.cue"]);
  const folders = files.map((file) => file.replace(/\/?cue\.mod\/module\.cue$/, ""));
  const meant = closest(path, folders);
  return meant === undefined ? undefined : { fix: `Did you mean the folder "${meant}"?` };
}

function placed(problem: Problem, { where }: ModuleReference): Problem {
  return { ...problem, where: [where, ...problem.where] };
}

function commitsOf(modules: readonly OpenModule[]): InputConfig["modules"] {
  return modules.flatMap(({ reference, commit }) =>
    commit === undefined ? [] : [{ name: reference.name, commit }],
  );
}

/** Where a link was read, the file behind it counts as well. */
async function filesRead(
  { tree }: Source,
  compilation: Compilation,
  deployment: Deployment,
): Promise<readonly string[]> {
  const named = [...new Set([...compilation.inputs, ...deployment.params])];
  const paths = await Promise.all(named.map((path) => tree.behind(path)));
  return [...new Set(paths.flat())].sort();
}

function missingFile(file: string, what: string): Problem {
  return {
    where: [],
    what: `The ${what} ${file} does not exist`,
    fix: "Check the path, which counts from the root of the repository; the Action reads only what is committed",
  };
}

function problemsOf(result: Result<unknown>): readonly Problem[] {
  return result.ok ? [] : result.problems;
}
