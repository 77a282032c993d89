import { realpath } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ModuleAddress, Refusal } from "./module-address.ts";
import { isSelfContained } from "./self-contained.ts";

/** Which repositories on this machine a config may name. */
export interface LocalAccess {
  /** The application's repository: relative paths count from it, and nothing outside it is read ... */
  readonly base: string;
  /** ... unless whoever runs the program allows it. A pull request must not choose files of the machine. */
  readonly anywhere?: boolean;
}

/** `file://…`, `/…`, `./…` and `../…` */
export function isLocal(repo: string): boolean {
  return /^(file:\/\/|\/|\.\.?(\/|$))/.test(repo);
}

export async function readLocal(
  repo: string,
  { base, anywhere = false }: LocalAccess,
): Promise<ModuleAddress | Refusal> {
  const path = pathOf(repo, base);
  const real = path === undefined ? undefined : await realpath(path).catch(() => undefined);
  const root = await realpath(base);
  // The application's own repository is where git made it; one within it may have come with a commit.
  const isOurs =
    real === root || (real?.startsWith(root + sep) && (await isSelfContained(real, root)));
  if (real !== undefined && (anywhere || isOurs)) {
    return { url: pathToFileURL(real).href, key: real };
  }
  if (real === undefined && anywhere) {
    return { what: `There is no repository at ${repo}`, fix: "Correct the path" };
  }
  return {
    what: `The module repository "${repo}" is not inside this repository`,
    fix: 'Name it by its host, or use "local: {path: …}" for a folder of this repository',
  };
}

function pathOf(repo: string, base: string): string | undefined {
  if (!repo.startsWith("file://")) return resolve(base, repo);
  try {
    return fileURLToPath(repo);
  } catch {
    return undefined;
  }
}
