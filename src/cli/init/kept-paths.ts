import { relative, resolve, sep } from "node:path";
import { type UserError, userError } from "../../model/problems/errors.ts";

/** The directory of the config that qvs writes. */
const configFolder = ".valuestream";

/**
 * Returns the files and directories of `--from` as paths relative to the config. Returns undefined
 * if one of them isn't a path inside the repository: stdin, or an object in the cluster.
 */
export function keptPaths(
  root: string,
  directory: string,
  from: readonly string[],
): readonly string[] | undefined {
  const paths = from.map((each) => {
    const inside = relative(root, resolve(directory, each)).split(sep).join("/");
    return each === "-" || inside.startsWith("..") ? undefined : inside;
  });
  if (paths.includes(undefined)) return undefined;
  return paths.map((path) =>
    relative(configFolder, path ?? "")
      .split(sep)
      .join("/"),
  );
}

export function notKeepable(): UserError {
  return userError(
    "conflicting-flags",
    "--keep needs files or directories of the repository",
    "Name them with --from, and commit them",
  );
}
