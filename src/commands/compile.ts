import { UserError } from "../errors.ts";
import type { Compilation } from "../model/compilation.ts";
import { stages } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import type { JsonObject } from "../model/json.ts";
import { renderLayout } from "../report/layout.ts";
import { contentOf, renderManifests, renderPulumi } from "../report/manifests.ts";
import { toYaml } from "../report/yaml.ts";
import { compileDeployment } from "./compile-deployment.ts";
import { deployOrder } from "./deploy-order.ts";
import { manifestPath } from "./manifest-path.ts";
import type { World } from "./world.ts";

export interface CompileOutput {
  readonly compilation: Compilation;
  /** `stage/id` in the order in which a deployment would apply them. */
  readonly order: readonly string[];
}

/**
 * QVS config → manifests (spec §9). Throws a UserError with everything that is wrong. `trace` asks for where every field
 * comes from, which all but the plain manifests tell.
 */
export async function compile(
  world: World,
  deployment: Deployment,
  inline: readonly string[],
  trace = false,
): Promise<CompileOutput> {
  const compiled = await compileDeployment(world.source, deployment, inline, "show", trace);
  if (!compiled.ok) throw new UserError(compiled.problems);
  const { compilation } = compiled.value;
  const order = deployOrder(deployment, compilation);
  if (!order.ok) throw new UserError(order.problems);
  return { compilation, order: order.value };
}

/** For stdout. */
export function compileText({ compilation, order }: CompileOutput): string {
  return renderManifests(compilation, order);
}

/** For `--format json`: everything that a script may want. */
export function compileJson({ compilation }: CompileOutput): JsonObject {
  const byStage = stages.map((stage) => {
    const members = compilation.resources.filter((resource) => resource.stage === stage);
    return [stage, Object.fromEntries(members.map((each) => [each.id, contentOf(each)]))] as const;
  });
  const plain = JSON.parse(
    JSON.stringify({
      stages: Object.fromEntries(byStage),
      pulumi: compilation.pulumi ?? null,
      layout: compilation.layout,
      trace: compilation.trace ?? null,
      warnings: compilation.warnings,
      inputs: compilation.inputs,
    }),
  ) as JsonObject;
  return plain;
}

/** For `-o DIR`: relative path → content. A group's `/` makes a folder. */
export function compileFiles({ compilation }: CompileOutput): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const resource of compilation.resources) {
    if (resource.type === "foreign" && resource.provider === "pulumi-yaml") continue;
    const path = `${resource.stage}/${manifestPath(resource.id)}`;
    files.set(path, toYaml(contentOf(resource)));
  }
  const pulumi = renderPulumi(compilation);
  if (pulumi !== undefined) files.set("Pulumi.yaml", pulumi);
  files.set("layout.yaml", renderLayout(compilation));
  return files;
}
