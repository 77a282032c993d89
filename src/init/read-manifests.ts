import { isMap, LineCounter, parseAllDocuments, type ScalarTag, type Tags } from "yaml";
import { isObject, type Json, listAt, textAt } from "../model/json.ts";
import { isKubeObject, type KubeObject, wrongName, wrongNamespace } from "../model/object.ts";
import { failed, ok, type Position, type Problem, type Result } from "../model/problem.ts";
import { jsonOf } from "./document-json.ts";

/** A manifest that somebody has applied, with the place where it begins. */
export interface ReadManifest {
  readonly object: KubeObject;
  readonly where: Position;
}

/**
 * What kubectl reads from a file: several documents, Lists of objects, and YAML 1.1, where `0644` is octal and `on` is true. All
 * problems of the file are reported together.
 */
export function readManifests(file: string, text: string): Result<readonly ReadManifest[]> {
  const lines = new LineCounter();
  const options = {
    version: "1.1",
    customTags,
    lineCounter: lines,
    prettyErrors: false,
    intAsBigInt: true,
  } as const;
  const documents = parseAllDocuments(text, options);
  const problems: Problem[] = [];
  const manifests: ReadManifest[] = [];
  for (const document of "empty" in documents ? [] : documents) {
    const [error] = document.errors;
    if (error !== undefined) {
      problems.push({ ...invalid, where: [place(error.pos[0])] });
      continue;
    }
    const where = place(isMap(document.contents) ? document.contents.range?.[0] : undefined);
    const read = jsonOf(document, where);
    if (!read.ok) {
      problems.push(...read.problems);
      continue;
    }
    for (const each of itemsOf(read.value)) {
      const problem = problemOf(each);
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

/** kubectl knows `0o644`, but neither times nor numbers to the base of 60: `2026-11-22` and `22:22` are text to it. */
const customTags = (tags: Tags): Tags => [
  octal,
  ...tags.filter((tag) => {
    if (typeof tag === "string") return !["timestamp", "intTime", "floatTime"].includes(tag);
    return tag.tag !== "tag:yaml.org,2002:timestamp" && (tag as ScalarTag).format !== "TIME";
  }),
];

const octal: ScalarTag = {
  tag: "tag:yaml.org,2002:int",
  default: true,
  test: /^[-+]?0o[0-7]+$/,
  resolve: (text) => Number(text.replace(/^[-+]/, "")) * (text.startsWith("-") ? -1 : 1),
};

/** The objects of a document: none in one that holds comments only. */
function itemsOf(value: Json): readonly Json[] {
  if (value === null) return [];
  const isListOfObjects =
    isObject(value) && /List$/.test(textAt(value, "kind") ?? "") && Array.isArray(value.items);
  return isListOfObjects ? listAt(value, "items").flatMap(itemsOf) : [value];
}

function problemOf(value: Json): Omit<Problem, "where"> | undefined {
  if (!isKubeObject(value)) {
    return {
      code: "invalid-object",
      what: "This is no Kubernetes object: it lacks apiVersion, kind or metadata",
      fix: "Name the files of manifests, not those of a chart or a kustomization",
    };
  }
  const wrong = wrongName(value) ?? wrongNamespace(value.metadata);
  if (wrong === undefined) return undefined;
  return { code: "invalid-name", what: `The ${value.kind} ${wrong}`, fix: "Correct the name" };
}

const invalid: Omit<Problem, "where"> = {
  code: "invalid-yaml",
  what: "This is not valid YAML",
  fix: "Correct the syntax here; a template of a chart has to be rendered first",
};
