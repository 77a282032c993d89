import { isBuiltin } from "node:module";
import { parseAst } from "rolldown/parseAst";

/** A static import in the form of the parser. */
interface ImportDeclaration {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly source: { readonly value: string };
  readonly specifiers: readonly ImportSpecifier[];
}

interface ImportSpecifier {
  readonly type: string;
  readonly imported?: { readonly type: string; readonly name?: string; readonly value?: string };
  readonly local: { readonly name: string };
}

/**
 * Replaces imports of Node's builtins by `process.getBuiltinModule("node:…")`, because an import is
 * slower. For `node:http`, Node.js lists the exports and loads some of them only for that list.
 */
export function withBuiltins(code: string): string {
  const { body } = parseAst(code) as unknown as { readonly body: readonly ImportDeclaration[] };
  const imports = body.filter(
    ({ type, source }) => type === "ImportDeclaration" && isBuiltin(source.value),
  );
  return imports.reduceRight(
    (text, each) => `${text.slice(0, each.start)}${gettersOf(each)}${text.slice(each.end)}`,
    code,
  );
}

/** Returns the statements for one import. */
function gettersOf({ source, specifiers }: ImportDeclaration): string {
  const getter = `process.getBuiltinModule("node:${source.value.replace(/^node:/, "")}")`;
  const whole = specifiers.flatMap(({ type, local: { name } }) => {
    if (type === "ImportDefaultSpecifier") return [`const ${name}=${getter};`];
    return type === "ImportNamespaceSpecifier" ? [`const ${name}=${namespaceOf(getter)};`] : [];
  });
  const fields = specifiers.flatMap(({ type, imported, local }) => {
    if (type !== "ImportSpecifier") return [];
    const name = imported?.name ?? JSON.stringify(imported?.value);
    return [name === local.name ? name : `${name}:${local.name}`];
  });
  const named = fields.length === 0 ? [] : [`const {${fields.join(",")}}=${getter};`];
  return [...whole, ...named].join("");
}

/** Returns an object with the fields of the builtin, and the builtin itself as `default`. */
function namespaceOf(getter: string): string {
  return `(builtin=>Object.create(builtin,{default:{value:builtin}}))(${getter})`;
}
