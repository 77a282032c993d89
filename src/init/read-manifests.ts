import { type Document, isMap, isScalar, LineCounter, parseAllDocuments, visit } from "yaml";
import { deepestNesting, isObject, type Json, listAt, textAt } from "../model/json.ts";
import { isKubeObject, type KubeObject, nameError, namespaceError } from "../model/object.ts";
import {
  failed,
  ok,
  type Position,
  type Problem,
  type Result,
  type UnplacedProblem,
} from "../model/problems/problem.ts";
import { clampOffset, duplicateKey, kubectlTags } from "../model/text/yaml.ts";

/** Converts a YAML document to JSON. A value that JSON can't express is an error. */
function documentToJson(document: Document, where: Position): Result<Json> {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch {
    return failed([{ ...tooManyAliases, where: [where] }]);
  }
  const problems = new Set<UnplacedProblem>();
  const json = walk(value, 0);
  if (problems.size === 0) return ok(json);
  return failed([...problems].map((problem) => ({ ...problem, where: [where] })));

  function walk(each: unknown, depth: number): Json {
    if (each === null || typeof each === "boolean") return each;
    // kubectl also replaces half of a surrogate pair, because it isn't a character.
    if (typeof each === "string") return each.toWellFormed();
    if (typeof each === "number" || typeof each === "bigint") return toNumber(Number(each));
    if (depth > deepestNesting) return reject(tooDeep);
    if (Array.isArray(each)) return each.map((item) => walk(item, depth + 1));
    if (!isPlainObject(each)) return reject(notJson);
    return Object.fromEntries(
      Object.entries(each).map(([name, item]) => [name.toWellFormed(), walk(item, depth + 1)]),
    );
  }

  function toNumber(number: number): Json {
    if (!Number.isFinite(number)) return reject(notJson);
    return Number.isInteger(number) && !Number.isSafeInteger(number)
      ? reject(tooManyDigits)
      : number;
  }

  function reject(problem: UnplacedProblem): null {
    problems.add(problem);
    return null;
  }
}

/**
 * Reports whether a value is a plain object.
 * YAML tags such as `!!binary` and `!!set` create other objects.
 */
function isPlainObject(value: unknown): value is object {
  return (
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}

const tooManyDigits: UnplacedProblem = {
  code: "invalid-object",
  what: "This object contains an integer beyond 2^53",
  why: "Its digits would change",
  fix: "Write the number as a string if the field allows that",
};

const tooManyAliases: UnplacedProblem = {
  code: "invalid-object",
  what: "This object repeats too much through YAML aliases",
  fix: "Write the object without anchors and aliases, like kubectl get -o yaml",
};

const tooDeep: UnplacedProblem = {
  code: "invalid-object",
  what: `This object has more than ${deepestNesting} levels of nested objects and lists`,
  fix: "Remove the object from the input",
};

const notJson: UnplacedProblem = {
  code: "invalid-object",
  what: "This object contains a value that JSON doesn't have",
  why: "JSON has no infinity, bytes or sets",
  fix: "Write the value as a string, a list or an object, as the API server would store it",
};

/** A manifest as a user applied it, with its position. */
export interface LocatedManifest {
  readonly object: KubeObject;
  readonly where: Position;
}

/**
 * Reads manifests from a file as kubectl does.
 * kubectl accepts several documents, Lists of objects, and YAML 1.1, where `0644` is octal and `on`
 * is true. All problems of the file are reported together.
 */
export function readManifests(file: string, text: string): Result<readonly LocatedManifest[]> {
  const lines = new LineCounter();
  const options = {
    version: "1.1",
    customTags: kubectlTags,
    lineCounter: lines,
    prettyErrors: false,
    intAsBigInt: true,
  } as const;
  const documents = parseAllDocuments(text, options);
  const problems: Problem[] = [];
  const manifests: LocatedManifest[] = [];
  for (const document of "empty" in documents ? [] : documents) {
    const [error] = document.errors;
    const duplicates = duplicateKeys(document).map(([name, second, first]) =>
      duplicateKey(name, place(second), place(first)),
    );
    if (error !== undefined) {
      const other = document.errors.find(({ code }) => code !== "DUPLICATE_KEY");
      problems.push(...duplicates);
      if (other !== undefined)
        problems.push({ ...invalid, where: [place(clampOffset(text, other.pos[0]))] });
      continue;
    }
    const where = place(isMap(document.contents) ? document.contents.range?.[0] : undefined);
    const read = documentToJson(document, where);
    if (!read.ok) {
      problems.push(...read.problems);
      continue;
    }
    for (const each of listObjects(read.value)) {
      const problem = manifestProblem(each, file);
      if (problem === undefined) manifests.push({ object: each as KubeObject, where });
      else problems.push({ ...problem, where: [where] });
    }
  }
  return problems.length > 0 ? failed(problems) : ok(manifests);

  function place(offset = 0): Position {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  }
}

/** Lists the objects of a document; none if it contains only comments. */
function listObjects(value: Json): readonly Json[] {
  if (value === null) return [];
  const isListOfObjects =
    isObject(value) && /List$/.test(textAt(value, "kind") ?? "") && Array.isArray(value.items);
  return isListOfObjects ? listAt(value, "items").flatMap(listObjects) : [value];
}

/**
 * Lists the keys that a map contains twice, with the offset of the second and then of the first.
 */
function duplicateKeys(
  document: Document,
): readonly (readonly [name: string, second: number, first: number])[] {
  const found: [string, number, number][] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Map<string, number>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const [name, start] = [String(key.value), key.range?.[0] ?? 0];
        const first = seen.get(name);
        if (first === undefined) seen.set(name, start);
        else found.push([name, start, first]);
      }
    },
  });
  return found;
}

/**
 * Returns the command that renders a kustomization or a chart.
 * Tools read these files; the API server never gets them.
 */
function renderCommand(value: Json, file: string): string | undefined {
  const isFileNamed = (name: string) => new RegExp(`(^|/)${name}\\.ya?ml$`, "i").test(file);
  const group = (isObject(value) ? (textAt(value, "apiVersion") ?? "") : "").split("/")[0];
  const path = file.includes("/") ? file.slice(0, file.lastIndexOf("/")) : ".";
  // A user pastes the command into a shell.
  const folder = /^[\w./-]+$/.test(path) && !path.startsWith("-") ? path : "FOLDER";
  if (group === "kustomize.config.k8s.io" || isFileNamed("kustomization")) {
    return `kubectl kustomize ${folder}`;
  }
  return isFileNamed("Chart") || isFileNamed("values") ? `helm template ${folder}` : undefined;
}

function manifestProblem(value: Json, file: string): UnplacedProblem | undefined {
  const tool = renderCommand(value, file);
  if (tool !== undefined && (!isKubeObject(value) || tool.startsWith("kubectl kustomize"))) {
    return {
      code: "invalid-object",
      what: "This document isn't a manifest",
      why: "It describes how a tool renders manifests",
      fix: `Render the manifests first: ${tool} | qvs init --from -`,
      otherwise: [
        tool.startsWith("kubectl kustomize")
          ? "add --keep: qvs renders the kustomization itself"
          : "name the directory of the chart and add --keep: qvs renders it itself",
      ],
    };
  }
  if (!isKubeObject(value)) {
    return {
      code: "invalid-object",
      what: "This document isn't a Kubernetes object",
      why: "It lacks apiVersion, kind or metadata",
      fix: "Name files with manifests, not files of a chart or a kustomization",
    };
  }
  const wrong = nameError(value) ?? namespaceError(value.metadata);
  if (wrong === undefined) return undefined;
  return { code: "invalid-name", what: `The ${value.kind} ${wrong}`, fix: "Correct the name" };
}

const invalid: UnplacedProblem = {
  code: "invalid-yaml",
  what: "This document isn't valid YAML",
  fix: "Correct the syntax here",
  otherwise: ["render the chart first if this is a template"],
};
