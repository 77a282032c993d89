import { parentDirectory } from "../../config/repository-path.ts";
import { catchProblems } from "../../model/problems/errors.ts";
import { notFileProblem } from "../../model/problems/file-problems.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { FileSource } from "../../ports/cue.ts";
import type { FetchedRepository } from "../../ports/git.ts";

/** The files that a rendering reads: those of the repository, or those of a remote base. */
type ListedTree = FetchedRepository["tree"];

/** The files of a tree that were read so far. Other files are listed, without content. */
export class LoadedFiles {
  size = 0;
  readonly #tree: ListedTree;
  readonly #all: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #texts = new Map<string, string>();
  readonly #notText = new Set<string>();
  readonly #unreadable = new Map<string, readonly Problem[]>();
  #source: FileSource | undefined;

  private constructor(tree: ListedTree, all: readonly string[]) {
    this.#tree = tree;
    this.#all = all;
    this.#known = new Set(all);
  }

  static async open(tree: ListedTree): Promise<LoadedFiles> {
    return new LoadedFiles(tree, await tree.list([""]));
  }

  /** The number of listed files. */
  get count(): number {
    return this.#all.length;
  }

  has(path: string): boolean {
    return this.#known.has(path);
  }

  /** Returns the files as a source, which never changes: reading more makes another one. */
  source(): FileSource {
    if (this.#source !== undefined) return this.#source;
    const files = this.#all.map((path) => [path, this.#texts.get(path) ?? ""] as const);
    this.#source = { in: "memory", files: new Map(files) };
    return this.#source;
  }

  /** Returns the text of a file that was read. */
  text(path: string): string | undefined {
    return this.#texts.get(path);
  }

  /** Reads all files of some directories, without those of their subdirectories. */
  async load(folders: readonly string[]): Promise<void> {
    const wanted = new Set(folders);
    const paths = this.#all.filter(
      (path) => wanted.has(parentDirectory(path)) && !this.#texts.has(path),
    );
    if (paths.length === 0) return;
    this.#source = undefined;
    const texts = await Promise.all(paths.map((path) => this.#read(path)));
    for (const [index, path] of paths.entries()) {
      const text = texts[index] ?? "";
      this.#texts.set(path, text);
      if (text.includes("\ufffd")) this.#notText.add(path);
      this.size += text.length;
    }
  }

  /** Reads a file. A file that can't be read is only an error if the rendering needs it. */
  async #read(path: string): Promise<string | undefined> {
    const found = await catchProblems(() => this.#tree.read(path));
    if (found.ok && found.value !== undefined) return found.value;
    const problems = found.ok ? [{ ...notFileProblem(path), where: [] }] : found.problems;
    this.#unreadable.set(path, problems);
    return undefined;
  }

  /** Returns the directories of the files that the renderer asked for before they were read. */
  missing(asked: readonly string[]): readonly string[] {
    const unread = asked.filter((path) => this.#known.has(path) && !this.#texts.has(path));
    return [...new Set(unread.map(parentDirectory))];
  }

  /** Returns the problems of the files that the renderer asked for and that can't be read. */
  unreadable(asked: readonly string[]): readonly Problem[] {
    return asked.flatMap((path) => this.#unreadable.get(path) ?? []);
  }

  /** Returns the first of these files that isn't text: its bytes would change. */
  notText(paths: readonly string[]): string | undefined {
    return paths.find((path) => this.#notText.has(path));
  }
}
