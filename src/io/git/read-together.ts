import { setImmediate } from "node:timers/promises";
import { UserError } from "../../errors.ts";

type Texts = ReadonlyMap<string, string>;

/**
 * Reads what is asked for at about the same time with one call of `readAll`: a process for every config and params file of
 * hundreds of deployments would cost more than compiling them. Where one path makes the call fail, each is read by itself,
 * so that only that one fails.
 */
export function readTogether(
  readAll: (paths: readonly string[]) => Promise<Texts>,
): (path: string) => Promise<string | undefined> {
  const texts = new Map<string, Promise<string | undefined>>();
  let next: { readonly paths: string[]; readonly texts: Promise<Texts> } | undefined;
  const join = (path: string): Promise<Texts> => {
    if (next === undefined) {
      const paths: string[] = [];
      const started = setImmediate().then(() => {
        next = undefined;
        return readAll(paths);
      });
      next = { paths, texts: started };
    }
    next.paths.push(path);
    return next.texts;
  };
  const read = async (path: string): Promise<string | undefined> => {
    try {
      return (await join(path)).get(path);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return (await readAll([path])).get(path);
    }
  };
  return (path) => {
    const known = texts.get(path) ?? read(path);
    texts.set(path, known);
    return known;
  };
}
