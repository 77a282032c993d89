import type { Config } from "../model/config.ts";
import type { Json } from "../model/json.ts";
import { textsOfSecretParams } from "../redaction/hide-texts.ts";
import { looksSecret } from "../redaction/looks-secret.ts";
import { holdsSecret } from "../redaction/secrets-within.ts";
import type { GivenParam } from "./parse-params.ts";

/** Params by their names, as a record has them. */
export interface Origins {
  /** Given by the command line. */
  readonly inline: readonly string[];
  /** Handed to params of adapters that are called secrets. */
  readonly secret: readonly string[];
}

/** Where values came from and went to, by the names of params: what a record says, so that later outputs hide what previews do. */
export function originsOf(
  given: readonly GivenParam[],
  { designPatterns }: Pick<Config, "designPatterns">,
): Origins {
  const last = new Map(given.map(({ name, by }) => [name, by]));
  const inline = [...last].filter(([, by]) => by === "inline").map(([name]) => name);
  const uses = designPatterns.flatMap(({ params }) => params);
  const secret = uses
    .filter(({ name, value }) => looksSecret(name) && holdsSecret(name, value))
    .flatMap(({ from }) => from);
  return { inline: inline.sort(), secret: [...new Set(secret)].sort() };
}

/**
 * What the command line gave to params that are called secrets, in the forms in which manifests hold it. Such a value often comes from a
 * store of secrets, and stands in no file of the repository: so it stands in no output either.
 */
export function secretTextsOf(
  values: ReadonlyMap<string, Json>,
  origins: Origins,
): readonly string[] {
  const inline = [...values].filter(([name]) => origins.inline.includes(name));
  return textsOfSecretParams(Object.fromEntries(inline), origins);
}
