import type { Config } from "../model/config.ts";
import type { Json } from "../model/json.ts";
import { secretParamForms } from "../redaction/scrub.ts";
import { isSensitiveName } from "../redaction/sensitive-name.ts";
import { isSensitiveValue } from "../redaction/sensitive-values.ts";
import type { GivenParam } from "./parse-params.ts";

/** The names of parameters by their origin, as a release contains them. */
export interface ParameterOrigins {
  /** Given on the command line. */
  readonly inline: readonly string[];
  /** Passed to arguments of adapters with sensitive names. */
  readonly secret: readonly string[];
}

/**
 * Returns the origins of parameters. A release records them, so that later outputs hide the same
 * values as previews.
 */
export function paramOrigins(
  given: readonly GivenParam[],
  { designPatterns }: Pick<Config, "designPatterns">,
): ParameterOrigins {
  const last = new Map(given.map(({ name, origin }) => [name, origin]));
  const inline = [...last].filter(([, origin]) => origin === "inline").map(([name]) => name);
  const uses = designPatterns.flatMap(({ params }) => params);
  const secret = uses
    .filter(({ name, value }) => isSensitiveName(name) && isSensitiveValue(name, value))
    .flatMap(({ from }) => from);
  return { inline: inline.sort(), secret: [...new Set(secret)].sort() };
}

/**
 * Returns the values from the command line that are passed to arguments with sensitive names, in
 * the forms in which manifests contain them.
 * Such a value often comes from a secret store and isn't in any file of the repository, so no
 * output must contain it.
 */
export function secretParamValues(
  values: ReadonlyMap<string, Json>,
  origins: ParameterOrigins,
): readonly string[] {
  const inline = [...values].filter(([name]) => origins.inline.includes(name));
  return secretParamForms(Object.fromEntries(inline), origins);
}
