import { join, relative } from "node:path";
import {
  type AsExpression,
  type BinaryExpression,
  type BindingElement,
  type CallExpression,
  type ComputedPropertyName,
  type ElementAccessExpression,
  type Expression,
  type Node,
  type PropertyAccessExpression,
  SyntaxKind,
  type TemplateSpan,
} from "typescript/unstable/ast";
import { API, type Checker, type Type, TypeFlags } from "typescript/unstable/sync";

/**
 * Returns places where an untrusted name could select a property of `Object.prototype`, as
 * `src/a.ts:3 object[name]: rule`. The types decide: a key is trusted if it is a number or one of
 * the string literals of its type. An object is a map if its type allows any name.
 */
export function foreignNames(root: string, folder: string): readonly string[] {
  const api = new API({ cwd: root });
  try {
    const opened = api.updateSnapshot({ openProjects: [join(root, "tsconfig.json")] });
    return opened.getProjects().flatMap(({ program, checker }) =>
      program
        .getSourceFileNames()
        .filter((file) => file.startsWith(`${join(root, folder)}/`))
        .flatMap((file) => {
          const source = program.getSourceFile(file);
          if (source === undefined) throw new Error(`${file} can't be read`);
          return nodesBelow(source).flatMap((node) => {
            const rule = broken(node, checker);
            if (rule === undefined) return [];
            const start = node.getStart(source);
            const line = source.text.slice(0, start).split("\n").length;
            const text = source.text.slice(start, node.end).replaceAll(/\s+/g, " ");
            return [`${relative(root, file)}:${line} ${text}: ${rule}`];
          });
        }),
    );
  } finally {
    api.close();
  }
}

function nodesBelow(node: Node): readonly Node[] {
  const found: Node[] = [];
  const visit = (each: Node): void => {
    found.push(each);
    each.forEachChild(visit);
  };
  node.forEachChild(visit);
  return found;
}

const lookUp = "look it up with fieldOf (src/model/json.ts) or in a Map";
const asText =
  "a map's own toString would be called; take the text that it holds, or JSON.stringify";

function broken(node: Node, checker: Checker): string | undefined {
  switch (node.kind) {
    case SyntaxKind.ElementAccessExpression: {
      const { argumentExpression: key } = node as ElementAccessExpression;
      return isForeign(key, checker) ? lookUp : undefined;
    }
    case SyntaxKind.BinaryExpression: {
      const { left, operatorToken } = node as BinaryExpression;
      const isIn = operatorToken.kind === SyntaxKind.InKeyword;
      return isIn && isForeign(left, checker) ? "ask Object.hasOwn" : undefined;
    }
    case SyntaxKind.BindingElement: {
      const { propertyName: key } = node as BindingElement;
      if (key?.kind !== SyntaxKind.ComputedPropertyName) return undefined;
      return isForeign((key as ComputedPropertyName).expression, checker) ? lookUp : undefined;
    }
    case SyntaxKind.ForInStatement:
      return "go through Object.keys";
    case SyntaxKind.TemplateSpan:
      return isMap((node as TemplateSpan).expression, checker) ? asText : undefined;
    case SyntaxKind.CallExpression:
      return brokenCall(node as CallExpression, checker);
    default:
      return undefined;
  }
}

function brokenCall({ expression, arguments: given }: CallExpression, checker: Checker) {
  if (expression.kind === SyntaxKind.PropertyAccessExpression) {
    const { expression: list, name } = expression as PropertyAccessExpression;
    const asksForTexts =
      name.text === "join" || (/^(?:sort|toSorted)$/.test(name.text) && !given[0]);
    if (asksForTexts && isListOfMaps(list, checker)) return asText;
  }
  switch (expression.getText()) {
    case "v.record":
      return "it drops what is called constructor, prototype or __proto__";
    case "Object.assign":
      return given.some((each) => isMap(each, checker))
        ? "__proto__ would be assigned; spread instead"
        : undefined;
    case "String":
    case "Number":
      return given.some((each) => isMap(each, checker)) ? asText : undefined;
    default:
      return undefined;
  }
}

/** Reports whether the key is untrusted. A type assertion with `as` is no proof. */
function isForeign(key: Expression, checker: Checker): boolean {
  if (key.kind === SyntaxKind.AsExpression) {
    return isForeign((key as AsExpression).expression, checker);
  }
  return isOpen(checker.getTypeAtLocation(key), checker);
}

function isOpen(type: Type | undefined, checker: Checker): boolean {
  if (type === undefined) return true;
  if (type.isUnionType()) return type.getTypes().some((each) => isOpen(each, checker));
  if (type.isTypeParameter()) return isOpen(checker.getConstraintOfTypeParameter(type), checker);
  if (type.isStringLiteralType() || type.isNumberLiteralType()) return false;
  return (type.flags & (TypeFlags.StringLike | TypeFlags.Any | TypeFlags.Unknown)) !== 0;
}

/** Reports whether the expression can be an object with arbitrary names. */
function isMap(expression: Expression, checker: Checker): boolean {
  return holdsAnyName(checker.getTypeAtLocation(expression), checker);
}

function isListOfMaps(expression: Expression, checker: Checker): boolean {
  const type = checker.getTypeAtLocation(expression);
  if (type === undefined || !checker.isArrayLikeType(type)) return false;
  return checker
    .getIndexInfosOfType(type)
    .some(({ valueType }) => holdsAnyName(valueType, checker));
}

function holdsAnyName(type: Type | undefined, checker: Checker): boolean {
  if (type === undefined) return false;
  if (type.isUnionType()) return type.getTypes().some((each) => holdsAnyName(each, checker));
  if (!type.isObjectType() || checker.isArrayLikeType(type)) return false;
  return checker
    .getIndexInfosOfType(type)
    .some(({ keyType }) => (keyType.flags & TypeFlags.StringLike) !== 0);
}
