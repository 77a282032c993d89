import type { ParsedInput, ReadInput } from "../config/inputs/parsed-input.ts";
import { readRendered } from "../config/inputs/read-objects.ts";
import { failed, ok, type Problem, type Result } from "../model/problems/problem.ts";
import type { SourceTree } from "../ports/git.ts";
import type { RenderedKustomization, Rendering, RenderProblem } from "../ports/render.ts";
import type { ConfigSource } from "../ports/world.ts";

interface RenderedInput extends Pick<ReadInput, "files" | "objects"> {
  readonly notices: readonly Problem[];
}

/** The maximum number of rounds. Each round reads a directory that the last one asked for. */
const maxRounds = 100;

/** The maximum size of the files that one kustomization can read, in characters. */
const maxText = 64 * 1024 * 1024;

/**
 * Renders a kustomization in the sandbox of the compiler, from the files of the tree. Only the
 * renderer knows which files it needs, so qvs reads the directories that it asks for, in rounds.
 */
export async function renderKustomization(
  { tree, compiler }: ConfigSource,
  entry: ParsedInput,
): Promise<Result<RenderedInput>> {
  const files = new LoadedFiles(tree, await tree.list([""]));
  await files.load(entry.path);
  for (let round = 0; round < maxRounds; round += 1) {
    const modules = [{ display: "", files: files.source() }];
    const rendering = await compiler.render({ kustomize: entry.path || ".", modules });
    if (!rendering.ok)
      return failed(rendering.problems.map((each) => ({ ...each, where: [entry.where] })));
    const missing = files.missing(rendering.value.questions.map(({ path }) => path));
    if (missing.length === 0) return toObjects(rendering.value, entry);
    for (const folder of missing) await files.load(folder);
    if (files.size > maxText) break;
  }
  return failed([
    {
      code: "input-too-large",
      where: [entry.where],
      what: `Kustomization "${entry.written}" reads too many files`,
      facts: [{ label: "limit", value: `${maxText >> 20} MiB` }],
      fix: "Move its files to directories of their own",
    },
  ]);
}

/** The files of a tree that were read so far. */
class LoadedFiles {
  size = 0;
  readonly #tree: SourceTree;
  readonly #all: readonly string[];
  readonly #texts = new Map<string, string>();

  constructor(tree: SourceTree, all: readonly string[]) {
    this.#tree = tree;
    this.#all = all;
  }

  /** Returns the files as a new source, because a source never changes. */
  source() {
    return { in: "memory", files: new Map(this.#texts) } as const;
  }

  /** Reads all files below a directory. */
  async load(folder: string): Promise<void> {
    const prefix = folder === "" ? "" : `${folder}/`;
    const paths = this.#all.filter((path) => path.startsWith(prefix) && !this.#texts.has(path));
    const texts = await Promise.all(paths.map((path) => this.#tree.read(path)));
    for (const [index, path] of paths.entries()) {
      const text = texts[index] ?? "";
      this.#texts.set(path, text);
      this.size += text.length;
    }
  }

  /** Returns the directories to read for the paths that the renderer asked for. */
  missing(paths: readonly string[]): readonly string[] {
    const folders = paths.flatMap((path) => {
      if (this.#texts.has(path)) return [];
      if (this.#all.includes(path)) return [path.slice(0, Math.max(path.lastIndexOf("/"), 0))];
      return this.#isIncomplete(path) ? [path] : [];
    });
    return [...new Set(folders)];
  }

  #isIncomplete(folder: string): boolean {
    if (folder === ".") return false;
    return this.#all.some((path) => path.startsWith(`${folder}/`) && !this.#texts.has(path));
  }
}

function toObjects(
  { result, inputs }: Rendering<RenderedKustomization>,
  entry: ParsedInput,
): Result<RenderedInput> {
  if (!result.ok) return failed(result.problems.map((each) => renderProblem(each, entry)));
  const prefix = entry.path === "" ? "" : `${entry.path}/`;
  const own = inputs.find(
    (path) => path.startsWith(prefix) && /^kustomization/i.test(path.slice(prefix.length)),
  );
  const where = { file: own ?? entry.path, line: 1, column: 1 };
  const objects = readRendered(where, result.value.documents);
  if (!objects.ok) return objects;
  const notices = result.value.notices.map(
    ({ message }): Problem => ({
      code: "render-warning",
      where: [where],
      what: `Kustomize warns about "${entry.written}"`,
      why: message,
      fix: "Correct the kustomization as the message shows",
    }),
  );
  return ok({ files: inputs, objects: objects.value, notices });
}

function renderProblem({ code, message, at }: RenderProblem, entry: ParsedInput): Problem {
  const place = at === undefined ? [] : [{ file: at.file, line: at.line ?? 1, column: 1 }];
  return {
    code: code === "limit" ? "input-too-large" : "render-failed",
    where: [...place, entry.where],
    what: `Kustomization "${entry.written}" can't be rendered`,
    why: message,
    fix: renderFixes[code],
  };
}

const renderFixes: Readonly<Record<RenderProblem["code"], string>> = {
  invalid: "Correct the file that the message names",
  limit: "Use smaller files",
  remote: "Copy the remote base into the repository: qvs opens no connection",
  unsupported: "Render this part with another tool, and commit the result",
};
