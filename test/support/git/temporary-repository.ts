import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A directory with the files of an application. It is removed after the test. */
export interface TemporaryRepository {
  readonly directory: string;
  write(path: string, content: string | Buffer): void;
  remove(path: string): void;
  /** Replaces text. Throws if the file doesn't contain it. */
  change(path: string, from: string, to: string): void;
}

/** Creates a directory with these files. Concurrent tests pass the hook of their context. */
export function temporaryRepository(
  files: Readonly<Record<string, string>>,
  onFinished: (work: () => void) => void = onTestFinished,
): TemporaryRepository {
  const parent = mkdtempSync(join(tmpdir(), "repository-"));
  onFinished(() => rmSync(parent, { recursive: true, force: true }));
  // Without a list of deployments, the deployment has the name of the directory.
  const directory = join(parent, "shop");
  const write = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  return {
    directory,
    write,
    remove: (path) => rmSync(join(directory, path)),
    change(path, from, to) {
      const text = readFileSync(join(directory, path), "utf8");
      if (!text.includes(from)) throw new Error(`${path} does not contain "${from}"`);
      write(
        path,
        text.replace(from, () => to),
      );
    },
  };
}
