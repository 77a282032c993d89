import { isBuiltin } from "node:module";
import { parseAst } from "rolldown/parseAst";

/**
 * Code in a bundle that makes Node.js load a module that is neither built in nor a file of dist.
 */
export interface ForeignLoad {
  /** The source text, for example `require("supports-color")`. */
  readonly text: string;
  readonly why: string;
}

export interface Surroundings {
  /** The names of the files of dist. */
  readonly files: ReadonlySet<string>;
  /** True if the file can start worker threads. Then every address in it must be one of `files`. */
  readonly startsWorkers: boolean;
}

/**
 * Returns all code in a file of dist that would load a module from the current directory, which is
 * in a repository that other people write to. Code that the syntax alone can't decide, such as a
 * computed name, counts as well.
 */
export function findForeignLoads(code: string, surroundings: Surroundings): readonly ForeignLoad[] {
  const found: ForeignLoad[] = [];
  const harmless = new Set<unknown>();
  visit(parseAst(code) as unknown as SyntaxNode, undefined, (node, parent) => {
    if (getsBuiltin(node)) harmless.add((node.callee as SyntaxNode).property);
    const why = harmless.has(node) ? undefined : reasonAgainst(node, parent, surroundings);
    if (why !== undefined) found.push({ text: excerpt(code, enclosing(node, parent)), why });
  });
  return found;
}

/**
 * A syntax node with only the fields that are used here. The parser's own types would need
 * narrowing at every step.
 */
interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

function reasonAgainst(
  node: SyntaxNode,
  parent: SyntaxNode | undefined,
  surroundings: Surroundings,
): string | undefined {
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportAllDeclaration":
    case "ExportNamedDeclaration":
    case "ImportExpression":
      return reasonAgainstSource(node.source, surroundings);
    case "ImportSpecifier":
      return reasonAgainstName(nameOf(node.imported), surroundings);
    case "Identifier":
      return reasonAgainstIdentifier(node, parent, surroundings);
    case "Literal":
      return isComputedKey(node, parent)
        ? reasonAgainstName(textOf(node), surroundings)
        : undefined;
    case "MetaProperty":
      return reasonAgainstMeta(node, parent);
    case "NewExpression":
      return reasonAgainstAddress(node, surroundings);
    default:
      return undefined;
  }
}

/**
 * Modules that a single-file program doesn't need, and that can load every module that Node.js
 * finds.
 */
const loaders: ReadonlySet<string> = new Set(["module", "vm", "repl", "inspector", "sea"]);

function reasonAgainstSource(source: unknown, { files }: Surroundings): string | undefined {
  if (!isNode(source)) return undefined;
  const specifier = textOf(source);
  if (specifier === undefined) return "what it imports is computed";
  if (specifier.startsWith("node:") && isBuiltin(specifier)) {
    const [name = ""] = specifier.slice("node:".length).split("/");
    return loaders.has(name) ? "it can load any module" : undefined;
  }
  if (specifier.startsWith("./") && files.has(specifier.slice("./".length))) return undefined;
  return isBuiltin(specifier)
    ? "a builtin is named without node:"
    : "it is neither a builtin nor a file of dist";
}

/**
 * Returns true for exactly `process.getBuiltinModule("node:fs")`, which has the effect of an import
 * of that builtin.
 */
function getsBuiltin(node: SyntaxNode): boolean {
  if (node.type !== "CallExpression" || !isNode(node.callee)) return false;
  const { type, computed, object, property } = node.callee;
  const [specifier, ...others] = node.arguments as readonly SyntaxNode[];
  if (type !== "MemberExpression" || computed === true || others.length > 0) return false;
  if (nameOf(object) !== "process" || nameOf(property) !== "getBuiltinModule") return false;
  if (specifier?.type !== "Literal" || !isNode(object) || object.type !== "Identifier")
    return false;
  const nothing: Surroundings = { files: new Set(), startsWorkers: false };
  return reasonAgainstSource(specifier, nothing) === undefined;
}

/**
 * Names with the same meaning everywhere: as a variable, as a property, or as a quoted property.
 */
const dangerous: ReadonlyMap<string, string> = new Map([
  ["createRequire", "it can require any module"],
  ["getBuiltinModule", "it gives node:module to who can require with it"],
  ["mainModule", "it can require any module"],
  ["_load", "it loads any module"],
  ["_resolveFilename", "it looks for modules in the folders around"],
  ["_linkedBinding", "it loads native code"],
  ["dlopen", "it loads native code"],
  ["registerHooks", "it changes how modules are found"],
]);

function reasonAgainstName(
  name: string | undefined,
  { startsWorkers }: Surroundings,
): string | undefined {
  if (name === "Worker" && !startsWorkers) return "a worker thread loads a file";
  return name === undefined ? undefined : dangerous.get(name);
}

/**
 * Names that count only as references to globals, not as keys of an object or names of a
 * parameter's properties.
 */
const globals: ReadonlyMap<string, string> = new Map([
  ["require", "Node.js looks for it in the folders around"],
  ["__require", "Node.js looks for it in the folders around"],
  ["eval", "it runs a text"],
]);

function reasonAgainstIdentifier(
  node: SyntaxNode,
  parent: SyntaxNode | undefined,
  surroundings: Surroundings,
): string | undefined {
  const name = nameOf(node);
  const everywhere = reasonAgainstName(name, surroundings);
  if (everywhere !== undefined || isProperty(node, parent)) return everywhere;
  if (name === "Function" && isCalled(node, parent)) return "it runs a text";
  return name === undefined ? undefined : globals.get(name);
}

function isCalled(node: SyntaxNode, parent: SyntaxNode | undefined): boolean {
  const isCall = parent?.type === "CallExpression" || parent?.type === "NewExpression";
  return isCall && parent.callee === node;
}

function isProperty(node: SyntaxNode, parent: SyntaxNode | undefined): boolean {
  if (parent === undefined || parent.computed === true) return false;
  if (parent.type === "MemberExpression") return parent.property === node;
  const isKeyed = ["Property", "MethodDefinition", "PropertyDefinition"].includes(parent.type);
  return isKeyed && parent.key === node && parent.shorthand !== true;
}

function isComputedKey(node: SyntaxNode, parent: SyntaxNode | undefined): boolean {
  return parent?.type === "MemberExpression" && parent.property === node;
}

/**
 * Returns the reason against a use of `import.meta`. Only its address is allowed, to find files of
 * dist or to compare it.
 */
function reasonAgainstMeta(node: SyntaxNode, parent: SyntaxNode | undefined): string | undefined {
  const isUrl =
    parent?.type === "MemberExpression" &&
    parent.object === node &&
    isNode(parent.property) &&
    nameOf(parent.property) === "url";
  return isUrl ? undefined : "only import.meta.url is known to load nothing";
}

/**
 * Addresses that are used only if the program runs from its sources, whose own address ends in
 * `.ts`.
 */
const onlyInSources: ReadonlySet<string> = new Set([
  ...["../compile-worker.ts", "./cli.ts"],
  ...["plan", "comment", "deploy", "rollback"].map((name) => `../../workflows/${name}.yml`),
]);

/** Directories of the same package whose files are started as programs, and never loaded. */
const ownDirectories: ReadonlySet<string> = new Set(["../native/", "../../native/"]);

/**
 * Returns the reason against an address relative to this file, unless it is the address of a file
 * of dist.
 */
function reasonAgainstAddress(node: SyntaxNode, { files }: Surroundings): string | undefined {
  const [address, base] = node.arguments as readonly SyntaxNode[];
  if (nameOf(node.callee) !== "URL" || !isOwnAddress(base) || address === undefined)
    return undefined;
  const texts = alternatives(address).map(textOf);
  const names = texts.map(
    (text) => text && /^(?:\.\/|(?:\.\.\/)+dist\/)([\w.-]+)$/.exec(text)?.[1],
  );
  const isAllowed = texts.every(
    (text, index) =>
      (text !== undefined && (onlyInSources.has(text) || ownDirectories.has(text))) ||
      (names[index] && files.has(names[index])),
  );
  return isAllowed ? undefined : "it is no file of dist";
}

function isOwnAddress(node: SyntaxNode | undefined): boolean {
  return (
    node?.type === "MemberExpression" && isNode(node.object) && node.object.type === "MetaProperty"
  );
}

function alternatives(node: SyntaxNode): readonly SyntaxNode[] {
  if (node.type !== "ConditionalExpression") return [node];
  return [node.consequent, node.alternate].filter(isNode).flatMap(alternatives);
}

/** Returns the value of a string literal, or of a template without substitutions. */
function textOf(node: SyntaxNode): string | undefined {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type !== "TemplateLiteral" || (node.expressions as unknown[]).length > 0)
    return undefined;
  const [quasi] = node.quasis as readonly { readonly value: { readonly cooked: string } }[];
  return quasi?.value.cooked;
}

function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  return node.type === "Identifier" ? (node.name as string) : textOf(node);
}

/** Returns the call or import around a name, which explains more than the name alone. */
function enclosing(node: SyntaxNode, parent: SyntaxNode | undefined): SyntaxNode {
  const expressions = ["CallExpression", "NewExpression", "MemberExpression", "ImportDeclaration"];
  return parent !== undefined && expressions.includes(parent.type) ? parent : node;
}

function excerpt(code: string, { start, end }: SyntaxNode): string {
  const text = code.slice(start, end);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function visit(
  node: SyntaxNode,
  parent: SyntaxNode | undefined,
  look: (node: SyntaxNode, parent: SyntaxNode | undefined) => void,
): void {
  look(node, parent);
  for (const child of Object.values(node).flat()) if (isNode(child)) visit(child, node, look);
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
