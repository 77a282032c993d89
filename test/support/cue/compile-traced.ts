import { parse } from "yaml";
import { compileConfig } from "../../../src/compile/compile-config.ts";
import { createCue } from "../../../src/io/cue/engine/engine.ts";
import type { Json } from "../../../src/model/json.ts";
import type { Compilation } from "../../../src/model/sources/compilation.ts";
import type { DesignPatternUse } from "../../../src/model/sources/config.ts";
import type { Cue } from "../../../src/ports/cue.ts";

/**
 * The adapters by package, imported as `test.example/NAME`.
 * Line 1 of the only file, NAME/NAME.cue, is `package NAME`.
 */
export type Adapters = Readonly<Record<string, string>>;

/**
 * Compiles adapters with a trace.
 * `use` is a YAML list of {pattern, params, group}. `change` can replace the engine.
 */
export function compileTraced(
  module: WebAssembly.Module,
  adapters: Adapters,
  use: string,
  change: (cue: Cue) => Cue = (cue) => cue,
): Compilation {
  const texts = Object.entries(adapters).map(
    ([name, text]) => [`${name}/${name}.cue`, fileOf(name, unindented(text))] as const,
  );
  const files = new Map([["cue.mod/module.cue", 'module: "test.example"'], ...texts]);
  const modules = [{ display: "", files: { in: "memory", files } }] as const;
  const config = { file: "qvs.yaml", params: [], modules: [], designPatterns: usesOf(use) };
  const result = compileConfig(
    { config, modules, trace: true },
    change(createCue(module, modules)),
  );
  if (!result.ok) throw new Error(JSON.stringify(result.problems, null, 2));
  return result.value;
}

/** Removes the common indentation, so that columns count from the start of the text. */
export function unindented(text: string): string {
  const lines = text.replace(/^\n/, "").split("\n");
  const width = Math.min(...lines.filter((line) => line.trim() !== "").map(indentOf));
  return lines
    .map((line) => line.slice(width))
    .join("\n")
    .trimEnd();
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Returns the file of an adapter. The provider allows objects without apiVersion and kind. */
function fileOf(name: string, text: string): string {
  const provider = 'DesignPattern: resources: [string]: [string]: {provider: "test", ...}';
  return `package ${name}\n${text}\n${text.includes("DesignPattern") ? provider : ""}\n`;
}

/**
 * Parses the uses of adapters. Each argument is on its own line, as if it were `$(params.NAME)`
 * there.
 */
function usesOf(text: string): readonly DesignPatternUse[] {
  const uses = parse(text) as { pattern: string; params?: Record<string, Json>; group?: string }[];
  return uses.map(({ pattern, params = {}, group }, index) => {
    const line = 10 * (index + 1);
    const at = (offset: number) => ({ file: "qvs.yaml", line: line + offset, column: 7 });
    const bound = Object.entries(params).map(([name, value], i) => ({
      name,
      value,
      where: at(i + 1),
      from: [name],
    }));
    return { pattern: `test.example/${pattern}`, group, where: at(0), params: bound };
  });
}
