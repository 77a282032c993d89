import { isCommonWord, isPlainSetting, isSensitiveName } from "./sensitive-name.ts";

/**
 * Returns the secrets that a text assigns to names, as files in JSON and YAML and files of
 * environment variables do: `"password": "…"`, `token: …`, `DB_PASSWORD=…`. References such as
 * `$NAME` aren't secrets.
 */
export function assignedSecrets(text: string): readonly string[] {
  const isDockerConfig = /"auths"\s{0,9}:/.test(text);
  return [...text.matchAll(assignment)].flatMap(([, name = "", ...quoted]) => {
    const value = quoted.find((each) => each !== undefined) ?? "";
    const isSecret = name === "auth" ? isDockerConfig : isSecretOf(name, value);
    return isSecret ? [...new Set([value, withoutEscapes(value)])] : [];
  });
}

/** A name, `:` or `=`, and the beginning of a value of at least four characters. */
const assignment =
  /(?<![\w.-])([\w.-]{1,100})["']?[ \t]{0,9}[:=][ \t]{0,9}(?:"((?:[^"\\\n]|\\.){4,200})|'([^'\n]{4,200})|([^\s"'{[(<>|*&,;][^\s"',;]{3,199}))/g;

/** Returns a string of JSON without its quotation marks as the program reads it. */
function withoutEscapes(quoted: string): string {
  if (!quoted.includes("\\")) return quoted;
  try {
    return String(JSON.parse(`"${quoted}"`));
  } catch {
    return quoted;
  }
}

function isSecretOf(name: string, value: string): boolean {
  if (!secretNames.test(name) || !isSensitiveName(name)) return false;
  if (/token/i.test(name) && /^\d+$/.test(value)) return false;
  return !(notSecret.test(value) || isCommonWord(value) || isPlainSetting(name, value));
}

/**
 * Names of secrets in any text. `isSensitiveName` also matches names such as `key`, which mean
 * something else in many files.
 */
const secretNames =
  /passw|passphrase|secret|token|credential|api[-_]?key|(?:private|access|account|master|sign(?:ing)?|encryption)[-_.]?key|pwd$|(?:^|[-_.])pass$/i;

/** References to a variable or a template, and addresses. Passwords in addresses have a rule. */
const notSecret = /^(?:\$|%|\{\{|<|https?:\/\/)/;
