import type { JsonObject } from "../model/json.ts";

/** One valid `Pulumi.yaml` with everything that Pulumi would own; undefined when there is nothing (spec §2). */
export function pulumiProgram(
  name: string,
  resources: ReadonlyMap<string, JsonObject>,
): JsonObject | undefined {
  if (resources.size === 0) return undefined;
  const entries = [...resources].map(([id, { provider: _provider, output: _output, ...rest }]) => [
    id,
    rest,
  ]);
  return { name, runtime: "yaml", resources: Object.fromEntries(entries) };
}
