import { describeAdapter } from "../../../../src/compile/describe-adapters.ts";
import { createCue } from "../../../../src/io/cue/engine/engine.ts";
import type { AdapterDescription } from "../../../../src/model/sources/description.ts";
import { moduleOf } from "../../../support/cue/open.ts";

const imports = ["list", "math", "strings", "struct", "time"] as const;

/**
 * Describes the package a.example/m/x with this text. Required packages of the standard library are
 * imported.
 */
export function describePackage(module: WebAssembly.Module, text: string): AdapterDescription {
  const root = moduleOf({ "x/x.cue": withImports(text), ...others });
  const described = describeAdapter(
    { describe: "a.example/m/x", modules: [root] },
    createCue(module, [root]),
  );
  if (!described.ok) throw new Error(described.problems.map(({ what }) => what).join("\n"));
  if (described.value === undefined) throw new Error("there is no adapter");
  return described.value;
}

/** Describes a package with these lines of `parameters`. */
export function describeParameters(module: WebAssembly.Module, lines: string) {
  return describePackage(module, adapterWith(lines));
}

export function adapterWith(lines: string): string {
  return `${definitions}DesignPattern: parameters: {\n${lines}\n}\n`;
}

export function withImports(text: string): string {
  const used = imports.filter((name) => new RegExp(`\\b${name}\\.[A-Z]`).test(text));
  const [clause = "", ...rest] = text.startsWith("//")
    ? splitAtPackage(text)
    : ["package x\n", text];
  return `${clause}${used.map((name) => `import "${name}"\n`).join("")}${rest.join("")}`;
}

function splitAtPackage(text: string): readonly string[] {
  const end = text.indexOf("package x\n") + "package x\n".length;
  return [text.slice(0, end), text.slice(end)];
}

const definitions = `#Secret: {key: string, version?: string}
#Tree: {name: string, children?: [...#Tree]}
`;

const others = {
  "y/y.cue": `package y
DesignPattern: {
	name: "y"
	composites: [{pattern: {name: "unnamed", parameters: {}}, params: {}}]
}`,
};
