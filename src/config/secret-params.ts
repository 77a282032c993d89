import type { Config, ObjectInput } from "../model/config.ts";
import type { Json } from "../model/json.ts";
import { secretParamForms } from "../redaction/scrub.ts";
import { isSensitiveName } from "../redaction/sensitive-name.ts";
import { isSensitiveObject, secretSources } from "../redaction/sensitive-object.ts";
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
  { designPatterns, inputs = [] }: Pick<Config, "designPatterns" | "inputs">,
): ParameterOrigins {
  const last = new Map(given.map(({ name, origin }) => [name, origin]));
  const inline = [...last].filter(([, origin]) => origin === "inline").map(([name]) => name);
  const uses = designPatterns.flatMap(({ params }) => params);
  const secret = [
    ...uses
      .filter(({ name, value }) => isSensitiveName(name) && isSensitiveValue(name, value))
      .flatMap(({ from }) => from),
    ...inputs.flatMap(({ objects }) => objects.flatMap(secretSources)),
    ...inputs.flatMap(chartSecrets),
  ];
  return { inline: inline.sort(), secret: [...new Set(secret)].sort() };
}

/**
 * Returns the parameters of a chart that its values name as secrets, and those whose value is in a
 * rendered Secret.
 */
function chartSecrets({ secretParams, params, objects }: ObjectInput): readonly string[] {
  if (secretParams === undefined) return [];
  const secrets = objects.filter(({ object }) => isSensitiveObject(object));
  const text = secrets.map(({ object }) => JSON.stringify(object)).join("\n");
  const inSecret = params.filter(({ value }) => isContained(value, text)).map(({ name }) => name);
  return [...secretParams, ...inSecret];
}

function isContained(value: Json, text: string): boolean {
  if (typeof value !== "string" || value === "") return false;
  const encoded = Buffer.from(value).toString("base64");
  return text.includes(JSON.stringify(value).slice(1, -1)) || text.includes(encoded);
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
