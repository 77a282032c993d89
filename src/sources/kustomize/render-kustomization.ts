import type { ParsedFiles, ReadInput } from "../config/inputs/parsed-input.ts";
import { readRendered } from "../config/inputs/read-objects.ts";
import { parentDirectory } from "../config/repository-path.ts";
import { failed, ok, type Problem, type Result } from "../model/problems/problem.ts";
import type { SourceTree } from "../ports/git.ts";
import type { RenderedKustomization, Rendering, RenderProblem } from "../ports/render.ts";
import type { ConfigSource } from "../ports/world.ts";

interface RenderedInput extends Pick<ReadInput, "files" | "objects"> {
  readonly notices: readonly Problem[];
}

/** The maximum number of rounds. Each round reads the files that the last one asked for. */
const maxRounds = 100;

/** The maximum size of the files that one kustomization can read, in characters. */
const maxText = 64 * 1024 * 1024;

/**
 * Renders a kustomization in the sandbox of the compiler, from the files of the tree. Only the
 * renderer knows which files it needs, so qvs reads the files that it asks for, in rounds.
 */
export async function renderKustomization(
  { tree, compiler }: ConfigSource,
  entry: ParsedFiles,
): Promise<Result<RenderedInput>> {
  const files = new LoadedFiles(tree, await tree.list([""]));
  await files.load([entry.path]);
  for (let round = 0; round < maxRounds; round += 1) {
    const modules = [{ display: "", files: files.source() }];
    const rendering = await compiler.render({ kustomize: entry.path || ".", modules });
    if (!rendering.ok)
      return failed(rendering.problems.map((each) => ({ ...each, where: [entry.where] })));
    const missing = files.missing(rendering.value.questions.map(({ path }) => path));
    const broken = files.notText(rendering.value.inputs);
    if (broken !== undefined) return failed([notTextProblem(broken, entry)]);
    if (missing.length === 0) return toObjects(rendering.value, entry);
    await files.load(missing);
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

/** The files of a tree that were read so far. Other files are listed, without content. */
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
    const files = this.#all.map((path) => [path, this.#texts.get(path) ?? ""] as const);
    return { in: "memory", files: new Map(files) } as const;
  }

  /** Reads all files of some directories, without those of their subdirectories. */
  async load(folders: readonly string[]): Promise<void> {
    const paths = this.#all.filter(
      (path) => folders.includes(parentDirectory(path)) && !this.#texts.has(path),
    );
    const texts = await Promise.all(paths.map((path) => this.#tree.read(path)));
    for (const [index, path] of paths.entries()) {
      const text = texts[index] ?? "";
      this.#texts.set(path, text);
      this.size += text.length;
    }
  }

  /** Returns the directories of the files that the renderer asked for before they were read. */
  missing(asked: readonly string[]): readonly string[] {
    const known = new Set(this.#all);
    const unread = asked.filter((path) => known.has(path) && !this.#texts.has(path));
    return [...new Set(unread.map(parentDirectory))];
  }

  /** Returns the first of these files that isn't text: its bytes would change. */
  notText(paths: readonly string[]): string | undefined {
    return paths.find((path) => this.#texts.get(path)?.includes("\ufffd"));
  }
}

function notTextProblem(file: string, { where }: ParsedFiles): Problem {
  return {
    code: "not-utf-8",
    where: [{ file, line: 1, column: 1 }, where],
    what: "A kustomization reads a file that isn't text in UTF-8",
    why: "qvs would change its bytes",
    fix: "Write its content in Base64, for example in binaryData of a ConfigMap",
  };
}

function toObjects(
  { result, inputs }: Rendering<RenderedKustomization>,
  entry: ParsedFiles,
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

function renderProblem({ code, message, at }: RenderProblem, entry: ParsedFiles): Problem {
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
