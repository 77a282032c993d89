import type { FieldStep } from "../model/fields/field-differences.ts";
import { parseJson } from "../model/json.ts";

/** The most characters of a path. A longer text isn't the path of a field. */
const maxLength = 2_000;

const stepPattern =
  /^(?:\.?([^.[\]"\s]+)|\.?"((?:[^"\\]|\\.)*)"|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\[([\w-]+=(?:"(?:[^"\\]|\\.)*"|[^\][",=]+)(?:,[\w-]+=(?:"(?:[^"\\]|\\.)*"|[^\][",=]+))*)\])/;

/**
 * Parses the path of a field in the notation of qvs's outputs, such as
 * `spec.template.spec.containers[name="web"].image` and
 * `metadata.labels["app.kubernetes.io/name"]`. Items can also be named by index, and keys can lack
 * the quotes, which a shell removes. Returns undefined for any other text.
 */
export function parseFieldPath(text: string): readonly FieldStep[] | undefined {
  if (text === "" || text.length > maxLength) return undefined;
  const steps: FieldStep[] = [];
  let rest = text;
  while (rest !== "") {
    const [whole, field, quoted, index, bracketed, keys] = stepPattern.exec(rest) ?? [];
    if (whole === undefined) return undefined;
    if (index !== undefined) steps.push(Number(index));
    else if (keys !== undefined) steps.push({ keys: parseKeys(keys) });
    else steps.push(field ?? unquote(quoted ?? bracketed ?? ""));
    rest = rest.slice(whole.length);
  }
  return steps;
}

const keyPattern = /([\w-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\][",=]+)),?/gy;

/** Parses `name="web",protocol=TCP`. A number without quotes is a number, as in managedFields. */
function parseKeys(text: string): Readonly<Record<string, string | number>> {
  const entries = [...text.matchAll(keyPattern)].map(([, name = "", quoted, plain = ""]) => {
    const value = quoted !== undefined ? unquote(quoted) : plain;
    return [name, quoted === undefined && /^\d+$/.test(plain) ? Number(plain) : value] as const;
  });
  return Object.fromEntries(entries);
}

function unquote(quoted: string): string {
  const value = parseJson(`"${quoted}"`);
  return typeof value === "string" ? value : quoted;
}
